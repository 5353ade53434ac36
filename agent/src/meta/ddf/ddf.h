/*
 * DDF metadata of one drive: between bytes and a plain description. Knows nothing of I/O: the
 * caller reads the anchor (last sector), then the copies it names, and hands the bytes in.
 *
 * (1) The reader takes any bytes of any revision 01.xx and 02.xx. Order: length, then magic and
 *     CRC of every section, then meaning. What decodes may be written again if ddf_copy_check()
 *     finds that it fits.
 * (2) The writer makes revision 01.02.00 with mdadm's geometry (ddf_layout.h). What is not sound
 *     is never written.
 * (3) Of two copies a closed one is preferred over an open one, then the newer, then the
 *     primary: an open copy may be the torn half of a change.
 */
#ifndef ARRAYWRIGHT_META_DDF_H
#define ARRAYWRIGHT_META_DDF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"

#define DDF_SECTOR_BYTES 512u
#define DDF_ANCHOR_BYTES 512u
/* What the writer makes of one copy; the drive's LBAs, counted from its end. */
#define DDF_COPY_SECTORS 618u
#define DDF_COPY_BYTES (DDF_COPY_SECTORS * DDF_SECTOR_BYTES)
#define DDF_PRIMARY_FROM_END_SECTORS 32768u
#define DDF_SECONDARY_FROM_END_SECTORS 65536u
#define DDF_WORKSPACE_SECTORS 32768u
/* A smaller drive carries no DDF: mdadm refuses it as well. */
#define DDF_DRIVE_SECTORS_MIN (DDF_SECONDARY_FROM_END_SECTORS + 1u)

/* What the reader takes. A copy of a legal geometry stays below this. */
#define DDF_COPY_SECTORS_MAX 4096u
#define DDF_MEMBERS_MAX 256u
#define DDF_RECORDS_MAX 256u
#define DDF_SPARE_ENTRIES_MAX 128u
#define DDF_VENDOR_BYTES 128u

#define DDF_NO_LBA UINT64_MAX

enum ddf_section {
    DDF_SECTION_CONTROLLER,
    DDF_SECTION_PDS,
    DDF_SECTION_VDS,
    DDF_SECTION_RECORDS,
    DDF_SECTION_DRIVE,
    DDF_SECTION_BAD_BLOCKS,
    DDF_SECTION_DIAGNOSTIC,
    DDF_SECTION_VENDOR_LOGS,
    DDF_SECTION_MAX
};

struct ddf_header {
    struct guid guid;          /* of the group of drives */
    char revision[9];
    uint32_t sequence;
    uint32_t time;             /* seconds since 1980 */
    bool open;                 /* a change was under way */
    bool foreign;
    uint64_t primary_lba;
    uint64_t secondary_lba;    /* or DDF_NO_LBA */
    uint64_t workspace_lba;
    uint32_t workspace_sectors;
    uint16_t max_pds;
    uint16_t max_vds;
    uint16_t max_partitions;
    uint16_t record_sectors;
    uint16_t max_members;
    struct {
        uint32_t offset;       /* in sectors, from the header of the copy */
        uint32_t sectors;      /* 0: there is none */
    } sections[DDF_SECTION_MAX];
    uint8_t bytes[DDF_SECTOR_BYTES]; /* as read: a copy must agree with its anchor */
};

/* Type and state of a physical drive. */
#define DDF_PD_FORCED_GUID 0x0001u
#define DDF_PD_ACTIVE 0x0002u
#define DDF_PD_GLOBAL_SPARE 0x0004u
#define DDF_PD_SPARE 0x0008u
#define DDF_PD_FOREIGN 0x0010u
#define DDF_PD_ONLINE 0x0001u
#define DDF_PD_FAILED 0x0002u
#define DDF_PD_REBUILDING 0x0004u
#define DDF_PD_TRANSITION 0x0008u
#define DDF_PD_PREDICTED 0x0010u
#define DDF_PD_READ_ERRORS 0x0020u
#define DDF_PD_MISSING 0x0040u

struct ddf_pd {
    struct guid guid;
    uint32_t reference;        /* unique; never 0 nor FFFFFFFF */
    uint16_t type;
    uint16_t state;
    uint64_t configured_sectors;
    char path[19];
};

#define DDF_VD_STATE_MASK 0x07u
#define DDF_VD_OPTIMAL 0u
#define DDF_VD_DEGRADED 1u
#define DDF_VD_DELETED 2u
#define DDF_VD_MISSING 3u
#define DDF_VD_FAILED 4u
#define DDF_VD_PARTIALLY_OPTIMAL 5u
#define DDF_VD_MORPHING 0x08u
#define DDF_VD_INCONSISTENT 0x10u
#define DDF_VD_INIT_MASK 0x03u
#define DDF_VD_INIT_NONE 0u
#define DDF_VD_INIT_QUICK 1u
#define DDF_VD_INIT_FULL 2u
#define DDF_VD_ACCESS_MASK 0xC0u
#define DDF_VD_READ_ONLY 0x80u
#define DDF_VD_BLOCKED 0xC0u

struct ddf_vd {
    struct guid guid;
    uint16_t unit;
    uint16_t type;
    uint8_t state;
    uint8_t init;
    char name[17];
};

/* One basic virtual drive: a span of a virtual drive, or all of it. */
struct ddf_record {
    struct guid vd;
    uint32_t time;
    uint32_t sequence;
    uint16_t member_count;
    uint8_t strip_shift;       /* 512 << strip_shift bytes */
    uint8_t level;
    uint8_t qualifier;
    uint8_t span_count;
    uint8_t span;
    uint8_t secondary_level;
    uint64_t member_sectors;
    uint64_t vd_sectors;
    uint32_t spares[8];
    uint64_t cache_policy;
    uint8_t rate;
    uint8_t vendor[DDF_VENDOR_BYTES];
    struct {
        uint32_t reference;    /* 0: missing; never FFFFFFFF: others would move up */
        uint64_t start_lba;
    } members[DDF_MEMBERS_MAX];
};

#define DDF_SPARE_DEDICATED 0x01u
#define DDF_SPARE_REVERTIBLE 0x02u
#define DDF_SPARE_ACTIVE 0x04u
#define DDF_SPARE_ENCLOSURE 0x08u

struct ddf_spare {
    uint32_t time;
    uint8_t type;
    uint32_t count;
    struct {
        struct guid vd;
        uint16_t span;
    } entries[DDF_SPARE_ENTRIES_MAX];
};

/* All that one drive says. */
struct ddf_config {
    struct ddf_header header;
    struct guid controller;
    uint8_t controller_type[8];
    char product[17];
    uint8_t controller_vendor[448];
    uint32_t pd_count;
    struct ddf_pd *pds;
    uint32_t vd_count;
    struct ddf_vd *vds;
    uint32_t record_count;
    struct ddf_record *records; /* of the virtual drives this drive is a member of */
    bool has_spare;
    struct ddf_spare spare;
    struct guid own_guid;       /* this drive */
    uint32_t own_reference;
    bool forced_reference;
    bool forced_guid;
    uint8_t drive_vendor[32];
};

/* Never NULL: counts as given, everything else zero. */
struct ddf_config *ddf_config_new(uint32_t pd_count, uint32_t vd_count, uint32_t record_count);
struct ddf_config *ddf_config_free(struct ddf_config *config);
/* The drive's own entry, by GUID; NULL if it is not in its own records. */
const struct ddf_pd *ddf_own_pd(const struct ddf_config *config);
const struct ddf_pd *ddf_pd_by_reference(const struct ddf_config *config, uint32_t reference);
const struct ddf_vd *ddf_vd_by_guid(const struct ddf_config *config, const struct guid *guid);
/* Could this be a description? Returns 0 or -EINVAL; *ret_why is then a sentence. */
MUST_CHECK int ddf_config_check(const struct ddf_config *config, const char **ret_why);

/* Seconds since 1980 of a wall time. */
uint32_t ddf_time(uint64_t wall_us);

/* Reader. In all of these a failure leaves a sentence in *ret_why. */

/*
 * The last sector of a drive. 0; -ENOENT: no DDF; -EBADMSG: damaged, or pointing outside the
 * drive; -EOPNOTSUPP: a revision or a size that is not known here.
 */
MUST_CHECK int ddf_anchor_decode(const uint8_t *sector, uint64_t drive_sectors,
                                 struct ddf_header *ret_anchor, const char **ret_why);
/* How many sectors a copy has, from its header on. */
uint32_t ddf_copy_sectors(const struct ddf_header *anchor);

enum ddf_copy { DDF_COPY_PRIMARY, DDF_COPY_SECONDARY };

/* A copy of ddf_copy_sectors. 0, -EBADMSG or -EOPNOTSUPP; the caller frees *ret_config. */
MUST_CHECK int ddf_copy_decode(const struct ddf_header *anchor, enum ddf_copy which,
                               const uint8_t *buffer, size_t bytes, struct ddf_config **ret_config,
                               const char **ret_why);
/* Is this the undamaged header of a copy of this group's, whatever follows? */
bool ddf_header_is_of(const uint8_t sector[DDF_SECTOR_BYTES], const struct guid *group);
/* The one to believe (3); either may be NULL, not both. */
const struct ddf_config *ddf_copy_choose(const struct ddf_config *primary,
                                         const struct ddf_config *secondary);

/* Writer. */

/* Places for a drive of this size; geometry, revision and LBAs are put into the header. */
void ddf_header_prepare(struct ddf_header *header, uint64_t drive_sectors);
/* The header alone, as it opens and closes a change. */
void ddf_header_encode(const struct ddf_config *config, enum ddf_copy which, bool open,
                       uint8_t out[DDF_SECTOR_BYTES]);
void ddf_anchor_encode(const struct ddf_config *config, uint8_t out[DDF_ANCHOR_BYTES]);
/* Could it be written here? What was read may have more in it. 0, -EINVAL or -EMSGSIZE. */
MUST_CHECK int ddf_copy_check(const struct ddf_config *config, const char **ret_why);
/* A whole copy, closed, for a header that has been prepared. out: DDF_COPY_BYTES. -EINVAL:
 * not sound; -EMSGSIZE: more than the geometry holds. */
MUST_CHECK int ddf_copy_encode(const struct ddf_config *config, enum ddf_copy which, uint8_t *out,
                               const char **ret_why);

#endif
