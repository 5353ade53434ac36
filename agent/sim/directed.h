/*
 * Short stories aimed at one promise, for windows that random lives hit too rarely.
 */
#ifndef ARRAYWRIGHT_SIM_DIRECTED_H
#define ARRAYWRIGHT_SIM_DIRECTED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A mirror loses a drive in the middle of a write, the write is acknowledged, at that moment
 * the process dies, and the drive comes back: the write must still be there. False: it is not.
 */
bool directed_ack_after_loss(uint64_t seed);

/*
 * Half of a member is rebuilt and the cursor is published; the moment the store has the record
 * the power goes, and all unflushed writes with it. False: the cursor vouches for lost bytes.
 */
bool directed_checkpoint(uint64_t seed);

/*
 * A flush comes amid the flush round of a write with FUA, which began before another write was
 * done: the answer to the flush vouches for that other write. False: it was not waited for.
 */
bool directed_flush_behind_fua(uint64_t seed);

/*
 * A drive of a mirror fails one flush and drops what it had; the flush is reported as done. Then
 * the other drive goes. False: older data than flushed are read.
 */
bool directed_flush_believed(uint64_t seed);

/*
 * The same, but the flush that fails is one of those that go with DDF metadata, and a later one
 * succeeds. False: older data than flushed are read.
 */
bool directed_flush_of_ddf(uint64_t seed);

/*
 * A mirror whose copies have never been made to agree: written, flushed, and one drive goes. False:
 * the other one does not have it.
 */
bool directed_doubt_write(uint64_t seed);

/*
 * RAID 5 without one member, a bad sector in another one, and a write beside it: data are lost for
 * good. Whatever comes then – a crash in the middle of that write, a rebuild, a medium that goes
 * bad again and is repaired – they must never read as anything. False: they do.
 */
bool directed_puncture(uint64_t seed);
bool directed_puncture_crash(uint64_t seed);
bool directed_puncture_repair(uint64_t seed);

/*
 * Two drives cannot read sectors of the same block, one of them in common. False: another one than
 * that is an error, or that is none.
 */
bool directed_sectors(uint64_t seed);

/*
 * The block beside the lost one is written, and goes bad again while a new drive, full of old
 * bytes, is filled. False: something else than was written there is read.
 */
bool directed_puncture_rebuilt(uint64_t seed);

/*
 * The same without the write: a rebuild finds that block beyond redundancy. False: what the new
 * drive held before reads as data.
 */
bool directed_lost(uint64_t seed);

/*
 * RAID 5 after a rebuild that had to leave a block of the new drive without its content, and a
 * write to that block. False: after a power cut in the meantime whatever is there reads as data.
 */
bool directed_note_end(uint64_t seed);

/*
 * A label that only the cache of its drive has, since its flush failed, and the next one, written
 * by the next process, which the power goes amid. False: the drive has none any more.
 */
bool directed_label_cached(uint64_t seed);

/*
 * With a log of write intents and a member missing: the power goes while a row is being written,
 * and takes the log with it. False: the row is torn, and the virtual drive does not say that it may
 * be.
 */
bool directed_log_anew(uint64_t seed);

/*
 * With a log of write intents: a whole row, which is not in the log, is in the caches of the
 * drives when a member is lost and then the power goes; it is being written when the member is
 * lost; it is written when a rebuild is over but no record says so. False: where the records call
 * the member lost, a sector of the row is neither what it was nor what was written.
 */
bool directed_loss_after_row(uint64_t seed);
bool directed_loss_in_row(uint64_t seed);
bool directed_row_of_rebuilt(uint64_t seed);

/*
 * The log still holds what was written before a member was lost and what was written without it,
 * when a new drive has been rebuilt in its place, wholly or in part, and the power goes. False: the
 * older of the two comes back on the new drive.
 */
bool directed_old_intents(uint64_t seed);
bool directed_old_intents_of_part(uint64_t seed);

/*
 * A row was being written degraded, in the automatic stripe log, when the power went; the group is
 * rebuilt, stops and starts before the resync, and a sector of the row cannot be read. False: it is
 * not recovered, although the log has made the row agree.
 */
bool directed_doubt_of_logged(uint64_t seed);

/*
 * A mirror whose copies differ after a crash, and a drive that is slow now and then. False: what
 * is read depends on it.
 */
bool directed_hedge(uint64_t seed);

/*
 * A read into memory that it lends, of a drive that hangs and answers long after the read has been
 * answered. False: it writes to memory that its owner uses for something else.
 */
bool directed_lent_read(uint64_t seed);

/*
 * A plain read of what a drive that is to be rebuilt does not have yet; of a mirror while one copy
 * of a write is on its way; of a block that is noted as lost. False: it reads what the new drive
 * had before; what one read has found is gone for the next; it reads as data.
 */
bool directed_plain_target(uint64_t seed);
bool directed_plain_mirror(uint64_t seed);
bool directed_plain_noted(uint64_t seed);

/*
 * RAID 0, and a strip of which one block cannot be read: another member is lost while the rest of
 * it is read. False: it is answered without that rest.
 */
bool directed_read_cut_short(uint64_t seed);

/*
 * RAID 5, a rebuild whose rows are done but one that somebody writes to. Meanwhile its drive is
 * lost, forgets what was filled in, and the same drive is put back. False: the old rebuild vouches
 * for it.
 */
bool directed_rebuild_goes_on(uint64_t seed);

/*
 * With the stripe log, a drive that was a member comes back and is rebuilt; then another member is
 * missing after a power cut: of a mirror, so that it is alone; of RAID 5, so that the newest batch
 * of the time without it may be gone. False: what was written since is covered by an older intent.
 */
bool directed_rejoin_alone(uint64_t seed);
bool directed_rejoin_tail(uint64_t seed);

/*
 * A copyback without redundancy, whose cursor is at the end: the power goes while a write is on its
 * way; the drive that is filled fails a write. False: something else is read as soon as the drive
 * has taken the member's place.
 */
bool directed_copyback_unclean(uint64_t seed);
bool directed_copyback_missed(uint64_t seed);

/*
 * A copyback of a mirror: the drive takes the member's place and hangs with the first flush after
 * that, before it is saved; then everybody is flushed. False: the former member has not its place
 * again.
 */
bool directed_copyback_hangs(uint64_t seed);

/*
 * A copyback without redundancy: a virtual drive that was removed before comes back with its data,
 * below the cursor. False: the drive that has taken the member's place has not got them.
 */
bool directed_copyback_restored(uint64_t seed);

/*
 * A virtual drive grows. RAID 5 over old bytes: something is written to its new rows, and a drive
 * goes. False: something else is read. A mirror while its copies differ after a power cut, before
 * they are made to agree. False: they never are.
 */
bool directed_grow_fresh(uint64_t seed);
bool directed_grow_doubt(uint64_t seed);

/*
 * RAID 5 over old bytes, not initialized yet: blocks of a row that was never written are to be
 * mended. False: what is read there has changed by that.
 */
bool directed_mend_doubt(uint64_t seed);

/*
 * Consistency checks. Of a RAID 5 over old bytes, not initialized yet; of one while its rows are
 * being written; of a RAID 5 whose block a rebuild could not recover. False: something is told to
 * be inconsistent.
 */
bool directed_check_doubt(uint64_t seed);
bool directed_check_unlocked(uint64_t seed);
bool directed_check_lost(uint64_t seed);
/* Silent damage on one member of a RAID 5, and on two of a RAID 6. False: it is not told of, or
 * something is done about it. */
bool directed_check_guess(uint64_t seed);
bool directed_check_two(uint64_t seed);

/*
 * Growing cannot be saved, which shows when a background task has already asked for the new rows.
 * False: the task does not end well, or the virtual drive has another size than before.
 */
bool directed_grow_undone(uint64_t seed);

#endif
