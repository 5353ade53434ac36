/*
 * The kernel for parity that is fastest on this processor (raid/parity_kernels.h).
 */
#ifndef ARRAYWRIGHT_DAEMON_PARITY_CHOICE_H
#define ARRAYWRIGHT_DAEMON_PARITY_CHOICE_H

/* Measures and says what it has chosen. Short of memory, the usual choice stays. */
void parity_choose(void);

#endif
