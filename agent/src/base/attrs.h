/*
 * Names for the compiler attributes the agent uses. Owns nothing else.
 */
#ifndef ARRAYWRIGHT_BASE_ATTRS_H
#define ARRAYWRIGHT_BASE_ATTRS_H

/* The result carries an error: ignoring it is a warning. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* A parameter or variable that is deliberately not used. */
#define UNUSED __attribute__((unused))

/* Argument number `format_index` is a printf format for those from `first_index` on. */
#define PRINTF_LIKE(format_index, first_index)                                                     \
    __attribute__((format(printf, format_index, first_index)))

/* A large variable on a hot path: spared the zeros that every other one gets. */
#if __has_attribute(uninitialized)
#define UNINITIALIZED __attribute__((uninitialized))
#else
#define UNINITIALIZED
#endif

/* Calls function(&variable) when the variable leaves its scope. */
#define CLEANUP(function) __attribute__((cleanup(function)))

#endif
