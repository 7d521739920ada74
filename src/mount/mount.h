/* SPDX-License-Identifier: MIT */
/* The mount's own structures. Everything here belongs to the loop thread; only notify.c has other threads, and they see
 * nothing but the jobs handed to them.
 *
 *   main.c     arguments, checks, going to the background       loop.c    poll over /dev/fuse, inotify, signals, a timer
 *   options.c  the option table and its parser                  ops.c     the table of FUSE operations, lookups, attributes
 *   node.c     the node table: serial ids, names, attributes    dir.c     opendir, readdirplus
 *   content.c  what a file shows: canonical, kept, staged       file.c    open, create, read, write, flush, fsync, release
 *   commit.c   from a stage to the file, and back when refused  name.c    mkdir, unlink, rmdir, rename
 *   anim.c     one animation: load, commit, reload, refresh     handle.c  what is open
 *   scratch.c  which names are editors' files                   notify.c  invalidations, and the replies that wait for them
 *   status.c   .anmfs/errors and .anmfs/status                  inside.c  is the mount point inside what is mounted?
 *   mirror.c   a directory of animations, and what happens in it outside
 *   entry.c    mkdir, unlink, rmdir, rename of what is in its folders
 *   removal.c  rm -r of an animation there
 *   memory.c   which documents are let go
 */
#ifndef AMNT_MOUNT_H
#define AMNT_MOUNT_H

#define FUSE_USE_VERSION 312

#include "anm/folder.h"
#include "anm/store.h"
#include "anm/tree.h"

#include <fuse_lowlevel.h>
#include <sys/types.h>
#include <time.h>

/* Kernel caches never expire by themselves: every change is followed by an invalidation. Where changes made outside cannot
 * be watched they expire after a second, and the file is looked at again. */
#define AMNT_FOREVER 1e9
#define AMNT_UNWATCHED 1.0
/* One text, all scratch files together, cached canonical texts, the errors file: bounds on memory. */
#define AMNT_TEXT_MAX ((off_t)256 << 20)
#define AMNT_SCRATCH_MAX ((size_t)256 << 20)
#define AMNT_SCRATCH_FILES 65536u
#define AMNT_CACHE_MAX ((size_t)64 << 20)
/* What a directory mount's documents, texts and nodes may take together where nothing else is said. */
#define AMNT_MEMORY ((size_t)256 << 20)
#define AMNT_ERRORS_MAX ((size_t)64 << 10)
/* A node that has to exist (header, bonemap) and was unlinked comes back after so many seconds, as does an animation whose removal was
 * not completed. */
#define AMNT_UNHIDE_SECONDS 10
/* Directories up to this many entries are cached by the kernel; larger ones are cheaper to list again (attributes
 * come along with READDIRPLUS, and would have to be asked one by one otherwise). */
#define AMNT_CACHE_DIR_ENTRIES 8

/* Bytes with a reference count. Written to only while there is a single reference. */
struct text {
    unsigned refs;
    struct anm_buf bytes;
};

struct text *text_new(void); /* empty, one reference; NULL when out of memory */
struct text *text_ref(struct text *text);
void text_unref(struct text *text); /* NULL is fine */

/* NODE_DIR and NODE_FILE are nodes of an animation, scratch files lie in its directories; a directory mount has folders, whose
 * entries are folders, links and the roots of animations. */
enum node_kind { NODE_DIR, NODE_FILE, NODE_SCRATCH, NODE_FOLDER, NODE_LINK };

/* An editor renamed the node away, and nothing was saved under its name since; or what it tried to save was refused. */
enum node_away { NODE_IN_PLACE, NODE_AWAY, NODE_AWAY_REFUSED };

/* What an unlink took, to bring it back when the text that was to replace it is refused. While nothing else has changed
 * since, anim->before is the whole document as it was. */
struct undo {
    struct text *text; /* the content before; never NULL */
    struct timespec mtime;
    uint64_t generation; /* of the document that the unlink made */
};

/* One inode. Ids are serials, given when a node is first named and never used again. */
struct node {
    uint64_t id;
    struct node *parent; /* NULL for the root and for nodes that are gone */
    char *name;
    struct node *by_id; /* hash chains */
    struct node *by_name;
    struct node *children; /* first child, next sibling */
    struct node *next;
    struct node *previous;
    struct anim *anim;     /* never NULL; of folders and links m->own */
    struct folder *folder; /* of NODE_FOLDER, else NULL */
    enum node_kind kind;
    struct anm_ref ref; /* of anim->doc when generation is anim->generation */
    uint64_t generation;
    uint64_t lookups; /* the kernel's count */
    unsigned opens;   /* handles, and how many of them can write */
    unsigned writers;
    bool gone;     /* has no name any more: no new opens */
    bool vanished; /* and that because the document lost it: what is written to it would be lost, too */
    bool fresh;    /* hidden since mkdir made its directory: whoever made that will make this, too */
    bool hidden;   /* a placeholder: there in the document, not (yet) by name */
    bool removed;  /* hidden by the removal of the whole animation */
    bool pending;  /* made by name, not yet in the document */
    bool kept;     /* `shown` is what was written, not the canonical text */
    bool written;  /* `stage` differs from what was last committed */
    bool stale;    /* the file changed outside under this stage */
    enum node_away away;
    bool failed; /* its last commit failed, and its writer was told */
    int refused; /* errno of the refusal of this very stage, or 0 */
    bool listed; /* a directory: its names have been told */
    bool size_known;
    uint64_t size; /* of the committed content, also while its text is dropped */
    /* What it showed before a change whose new size the kernel has not been told: a read of the new text would be cut to
     * the old size. Attributes are asked for after the invalidation that follows every change, and then it goes. */
    struct text *old;
    bool lost;          /* that is not known any more: until then nothing can be read */
    struct text *shown; /* committed content, or NULL when to be rendered; where a link leads; what a directory lists,
                           terminated names, while its document is let go */
    struct text *stage; /* content being written; always there in a scratch file */
    struct undo *undo;  /* of a hidden node, and of one that was made again until it is saved */
    time_t unhide_at;   /* CLOCK_MONOTONIC, of a hidden node that has to exist; 0: stays hidden */
    struct node *newer; /* list of cached canonical texts, most recent first */
    struct node *older;
    bool cached;
    mode_t mode; /* permission bits */
    uid_t uid;
    gid_t gid;
    struct timespec atime; /* as set by somebody; else zero: the mtime */
    struct timespec mtime;
    struct timespec committed_mtime; /* mtime before the stage began */
    struct timespec ctime;
};

/* An open file or directory. */
struct handle {
    struct handle *older, *newer; /* of the mount's open handles */
    struct node *node;
    bool writable;
    struct text *frozen;  /* .anmfs files: content at open */
    struct anm_buf names; /* directories: the terminated names as they were at offset 0 */
};

/* One animation: its file and the document the mount shows. Lives as long as a node belongs to it. */
struct anim {
    struct mount *mount;
    size_t nodes;                 /* that belong to it */
    struct anm_store *store;      /* NULL: not entered yet, or not to be opened */
    struct stat look;             /* of the file, while there is no store */
    struct anm_doc *doc;          /* NULL: not loaded yet */
    uint64_t generation;          /* of `doc` */
    struct anim *newer, *older;   /* list of those with a document, most recently used first */
    size_t bytes;                 /* that its document takes */
    bool dropped;                 /* there was a document, and what is known of the nodes is still of that */
    bool bound;                   /* its document cannot be loaded again as it is: it stays, until it changes */
    uint64_t first_new;           /* nodes with this id or a later one were named after `doc` came */
    const struct anm_doc *before; /* the document before an unlink, while nothing else has changed; else NULL */
    struct node *root;
    const struct anm_doc *origin; /* the document as loaded, and since when: what did not change since has that time */
    struct timespec loaded;
    struct timespec saved; /* time of the last save */
    struct anm_buf errors; /* the text of .anmfs/errors */
    uint64_t rejected;
    int watch;       /* handle of the directory's watch, or -1; in a directory mount the folder has it */
    time_t removing; /* CLOCK_MONOTONIC, when a removal of it is undone; 0: there is none */
    bool given;      /* the document has the files beside it at hand */
    bool fresh;      /* made by mkdir: what it holds appears when it is made by name */
    bool broken;     /* what is on disk now cannot be shown: the last good document is, and nothing is written */
    bool missing;    /* there is nothing on disk now */
};

/* A folder of a directory mount. */
struct folder {
    struct anm_folder *at; /* NULL: not opened yet */
    bool entered;          /* its entries have their nodes */
    struct stat st;        /* when what is shown in it last changed */
    int watch;             /* handle, or -1 */
    time_t looked;         /* CLOCK_MONOTONIC, when it was last looked through, where it cannot be watched */
};

/* Requests answered after the signal to stop, at most. */
#define AMNT_DRAIN_REQUESTS 10000
/* How long the end of a mount waits for a request before it looks whether the notifier is done, in milliseconds. */
#define AMNT_END_WAIT 5
/* How long the loop has to look at what happened until it is interrupted again, in milliseconds. */
#define AMNT_WAKE_WAIT 2

#define AMNT_OPCODES 64

/* Options as given. Strings are the command line's, or owned as said. */
struct options {
    const char *program; /* the name we were called by */
    bool helper;         /* called as mount.anmfs: mount(8)'s meaning of -f and -s */
    const char *source;
    const char *target;
    char *force;   /* family by -t anmfs.gem or format=, owned; NULL: by content */
    char *fsname;  /* owned */
    char *subtype; /* owned */
    char *tim;     /* image files of the animation, separated by colons, owned; NULL: those beside it */
    char *kernel;  /* options for libfuse and the kernel, comma-separated, owned */
    char *version; /* of animations made by mkdir, as their `format` has it, owned; NULL: the usual */
    size_t memory; /* in bytes; 0: the usual */
    bool all;      /* every file is tried, whatever its name */
    bool ro, foreground, debug, fake, sloppy, verbose, nofail, fsync_ask;
    bool allow_other, raw, preview, degrees;
    bool has_uid, has_gid, has_umask;
    uid_t uid;
    gid_t gid;
    mode_t umask;
    unsigned fps; /* of moving pictures; 0: the usual */
};

struct mount {
    struct options options;
    struct fuse_session *session;
    struct notifier *notifier;
    struct anm_watch *watch;
    struct anim
        *own;     /* the root's: the animation of a single-file mount; of a directory mount what is no animation's */
    char *source; /* absolute path of the file or the directory, owned */
    bool mirror;  /* a directory is mounted */
    bool ro;
    bool background;
    bool unwatched; /* that something cannot be watched has been said */
    time_t looked;  /* CLOCK_MONOTONIC, when the unwatched file was last looked at */
    struct node *root;
    struct node **watched; /* folders by the handle of their watch */
    size_t watched_size;
    size_t files;      /* animations that have been named */
    size_t loaded;     /* those that have a document */
    struct node **ids; /* hash tables; both have `buckets` chains */
    struct node **names;
    size_t buckets;
    size_t count;
    uint64_t next_id;
    struct node *newest; /* cached canonical texts */
    struct node *oldest;
    struct anim *latest; /* animations with a document */
    struct anim *earliest;
    size_t doc_bytes;
    uint64_t loads; /* documents read from files, and let go */
    uint64_t drops;
    struct text *names_kept; /* what the last directory listed whose document was let go */
    size_t returned;         /* bytes let go since some were last given back to the system */
    size_t cache_bytes;
    size_t scratch_bytes;
    unsigned scratch_files;
    struct handle *handles; /* all open ones, the newest first */
    unsigned waiting;       /* hidden nodes with a time to come back */
    struct change *changes; /* invalidations the reply in hand has to wait for */
    struct change *entries; /* names to drop from the kernel's cache, any time after */
    uint64_t requests[AMNT_OPCODES];
};

/* --- node.c --- */
int nodes_init(struct mount *m);
void nodes_free(struct mount *m);
struct node *node_by_id(struct mount *m, fuse_ino_t id);
struct node *node_find(struct mount *m, const struct node *parent, const char *name);
/* A new node of an animation below `parent` with default attributes; NULL when out of memory. */
struct node *node_add(struct mount *m, struct anim *anim, struct node *parent, const char *name, enum node_kind kind);
/* Takes a node and all below it out of the name table. Freed when the kernel and all handles let go. */
void node_detach(struct mount *m, struct node *n);
/* Moves a node to another name. 0, or -1 when out of memory (nothing changed). */
int node_move(struct mount *m, struct node *n, struct node *parent, const char *name);
void node_forget(struct mount *m, struct node *n, uint64_t lookups);
/* Frees a node that is gone and no longer held. */
void node_reap(struct mount *m, struct node *n);
/* Whether it is an animation, a folder or a link in a folder. */
bool node_is_entry(const struct node *n);
/* Appends the path below the animation's root; false when out of memory. */
bool node_path(const struct node *n, struct anm_buf *path);
/* The path a name has or would have; NULL when out of memory. */
const char *node_path_at(const struct node *dir, const char *name, struct anm_buf *path);
/* Whether n->ref is known without a document. */
bool node_known(struct node *n);
/* Sets n->ref for the present document. False when the document has no such node. */
bool node_resolve(struct node *n);
bool node_writable(const struct node *n);
bool node_volatile(const struct node *n);
/* How long the kernel may keep what it was told of a node, in seconds. */
double node_timeout(const struct mount *m, const struct node *n);
/* The inode number shown: the id, below the place in the routing table, as cp -r copies a directory in the order of its inode
 * numbers, and what is listed first has to be made first. */
ino_t node_ino(const struct node *n);
void node_attr(struct mount *m, struct node *n, struct stat *st);
/* The node of a child by name, made when the document has it: NULL when there is none or it is hidden. */
struct node *node_child(struct mount *m, struct node *dir, const char *name);
/* Something in a directory that only the mount knows of. */
bool node_has_scratch(const struct node *dir);
/* Gives every child that the document has below a directory a hidden placeholder. */
int node_hide_children(struct mount *m, struct node *dir);
/* A hidden placeholder where a node was. NULL when out of memory. */
struct node *node_hide(struct mount *m, struct node *dir, const char *name);
void node_unhide(struct mount *m, struct node *n);
/* Leaves what an unlink took to a hidden placeholder, before a node is detached: for whoever makes that name again. */
void node_leave_undo(struct mount *m, struct node *n);
void undo_free(struct undo *undo);
struct timespec now(void);

/* --- content.c --- */
/* What a file shows now, rendered when need be; borrowed. NULL when out of memory. */
struct text *content(struct mount *m, struct node *n);
uint64_t content_size(struct mount *m, struct node *n);
/* What a reader gets: the text of the size that the kernel was last told. */
struct text *content_seen(struct mount *m, struct node *n);
/* Keeps `text`, which the kernel may know the size of, for its readers; lets it go when the kernel is told the new size. */
void content_keep_old(struct node *n, struct text *text);
void content_drop_old(struct node *n);
/* Open handles of a node that is about to go keep its last text. */
void content_hold(struct mount *m, struct node *n);
/* Starts a stage (empty, or a copy of the content). 0 or an errno. */
int stage_begin(struct mount *m, struct node *n, bool empty);
/* Drops the stage: the committed content shows again. */
void stage_drop(struct mount *m, struct node *n);
/* The stage becomes the committed, kept content. */
void stage_keep(struct mount *m, struct node *n);
/* Writes into the stage or scratch; makes it `size` long. 0 or an errno. */
int stage_write(struct mount *m, struct node *n, const void *bytes, size_t size, off_t offset);
int stage_resize(struct mount *m, struct node *n, off_t size);
/* Drops the text of the committed content, which can be rendered again. */
void content_forget(struct mount *m, struct node *n);
/* Forgets the committed content: canonical text from now on. */
void content_drop(struct mount *m, struct node *n);
/* Shows `text` (reference taken over) as what was written. */
void content_restore(struct mount *m, struct node *n, struct text *text);
/* Turns a node into a scratch file with its present content. 0 or an errno. */
int content_to_scratch(struct mount *m, struct node *n);
/* The reverse: a scratch file that was committed as a node becomes that node, its text kept. */
void content_from_scratch(struct mount *m, struct node *n);
void content_free(struct mount *m, struct node *n);

/* --- anim.c --- */
/* A new animation without file or document; NULL when out of memory. Freed with the last node that belongs to it. */
struct anim *anim_new(struct mount *m);
/* The animation of a single-file mount. Loads the file of `store` (owned from now on). NULL with `err`. */
struct anim *anim_open(struct mount *m, struct anm_store *store, struct anm_error *err);
void anim_free(struct anim *a);
/* The document read from the file now; NULL with `err`. */
struct anm_doc *anim_read(struct anim *a, struct anm_error *err);
/* Puts another document, as it was just read, in place of the present one (reference taken over). */
void anim_replace(struct anim *a, struct anm_doc *doc);
/* Loads the document, unless it is there. What cannot be loaded is explained by a document. False when out of memory. */
bool anim_need(struct anim *a);
/* Gives the document the files beside it. True when that was not done yet and has changed it. */
bool anim_give(struct anim *a);
/* The file's status as last seen. */
const struct stat *anim_stat(const struct anim *a);
/* Appends the path of the file, for people. Terminated; NULL when out of memory. */
const char *anim_path(const struct anim *a, struct anm_buf *path);
/* Whether nothing of it can be changed. */
bool anim_readonly(const struct anim *a);
/* Saves `doc` (reference taken over, NULL = failure already in `err`) and makes it the present document; the caller then
 * calls anim_refresh(). *old gets the document before (a reference, or NULL when nothing changed). 0 or -1. */
int anim_commit(struct anim *a, struct anm_doc *doc, enum anm_sync sync, const struct anm_doc **old,
                struct anm_error *err);
/* Brings every node in line with the present document after it replaced `old`: what changed is invalidated, what vanished
 * goes. `self` (may be NULL) is the node that was written: it keeps its text. Drops the reference to `old` (NULL: nothing to do). */
void anim_refresh(struct anim *a, const struct anm_doc *old, struct node *self, bool outside);
/* Looks at the file again after something happened to it. */
void anim_reload(struct anim *a);
/* The same in a directory mount; `st` is what is there now. */
void anim_look(struct anim *a, const struct stat *st);
/* A file of that name changed beside the animation: it may be one that it makes use of. */
void anim_beside(struct anim *a, const char *name);
/* How a save is synced, by options. */
enum anm_sync anim_sync(const struct anim *a);

/* --- memory.c: of a directory mount --- */
/* The document was used; it came or changed; it goes. */
void memory_used(struct anim *a);
void memory_count(struct anim *a);
void memory_gone(struct anim *a);
/* Lets documents go, the longest unused first, until there is memory enough. Between two requests only. */
void memory_trim(struct mount *m);
/* What texts that nobody has open may take. */
size_t memory_for_texts(const struct mount *m);

/* --- mirror.c --- */
/* Makes m->own and m->root of the directory (reference taken over). 0, or -1 with `err`. */
int mirror_open(struct mount *m, struct anm_folder *at, struct anm_error *err);
/* Makes sure that the entries of a folder have their nodes. 0 or an errno. */
int mirror_enter(struct mount *m, struct node *dir);
/* Looks what is at a name now, and brings its node in line. The node, or NULL when there is nothing to show. */
struct node *mirror_look(struct mount *m, struct node *dir, const char *name);
/* Something happened to a name (NULL: to whatever) in the folder of a watch (-1: somewhere). */
void mirror_event(struct mount *m, int handle, const char *name);
/* Where changes outside cannot be watched: looks, at most once a second, before something is told of a node. */
void mirror_poll(struct mount *m, struct node *n);
/* An entry that is not there any more. Open handles keep the last text. */
void mirror_remove(struct mount *m, struct node *n);
/* A folder's node goes: lets go of the directory. */
void mirror_leave(struct mount *m, struct node *dir);
/* Whether a file of that name is shown as an animation. */
bool mirror_shows(const struct mount *m, const char *name);
/* Says once that changes made outside are seen late. */
void mirror_unwatched(struct mount *m, const struct anm_error *err);

/* --- entry.c: in the folders of a directory mount; 0 or an errno --- */
/* What mkdir makes. */
const char *entry_version(const struct mount *m);
int entry_mkdir(struct mount *m, struct node *dir, const char *name, const struct anm_owner *owner, struct node **made);
int entry_rmdir(struct mount *m, struct node *n);
int entry_unlink(struct mount *m, struct node *n);
int entry_rename(struct mount *m, struct node *n, struct node *target, struct node *to, const char *name,
                 unsigned flags);

/* --- removal.c --- */
/* Whether the removal of a node belongs to that of its animation, or opens it. */
bool removal_takes(const struct node *n);
/* Removes a file, an empty directory, in memory. 0 or an errno. */
int removal_take(struct mount *m, struct node *n);
int removal_rmdir(struct mount *m, struct node *n);
/* Whether everything in an animation was removed. */
bool removal_is_done(struct mount *m, struct node *root);
/* Undoes a removal, if there is one; forgets it. */
void removal_end(struct anim *a);
void removal_forget(struct anim *a);

/* --- dir.c --- */
/* Appends the names that the document has in a directory, terminated, without those that are hidden. 0 or an errno. */
int dir_names(struct mount *m, struct node *dir, struct anm_buf *names);
/* Replaces `names` by the names to list, terminated. 0 or an errno. A directory of an animation is `listed` from then on. */
int dir_list(struct mount *m, struct node *dir, struct anm_buf *names);

/* --- inside.c --- */
/* Whether `target` is the directory `source` or a place in it, under whatever name. */
bool is_inside(const char *source, const char *target);

/* --- commit.c --- */
/* Writes `bytes` to `path` and saves; n (the node there, maybe a placeholder) remembers what an unlink took. *old as in
 * anim_commit(). 0 or an errno, reported. */
int commit_bytes(struct mount *m, struct node *n, const char *path, const struct anm_buf *bytes, enum anm_sync sync,
                 const struct anm_doc **old);
/* Whether a stage holds something to commit. A text that is empty does not: an editor or a shell is still on its way. Raw bytes
 * may be empty, but a flush comes before the first write, so empty ones wait for a sync or the release. */
enum stage_kind { STAGE_NOTHING, STAGE_EMPTY_TEXT, STAGE_EMPTY_RAW, STAGE_CONTENT };
enum stage_kind stage_kind(struct node *n);
/* Parses the stage and saves. 0, or the errno of the refusal or of the failure. */
int stage_commit(struct mount *m, struct node *n, enum anm_sync sync);
/* The last writer left: commits what no flush saw, drops what was refused or never written. */
void stage_end(struct mount *m, struct node *n);
/* Tells of what writers have written and not closed: the mount ends under them, and half a text is not saved. */
void report_open(struct mount *m);
/* Whether something may be written to a node: 0, or ESTALE when the file on disk is not the one that is shown or has the node no
 * more, or the errno of looking; reported. */
int check_outside(struct node *n);
/* Reports that an empty text is no content. Returns EINVAL. */
int refuse_empty(struct node *n);

/* --- status.c --- */
/* Notes a refusal: in .anmfs/errors, in syslog, on the terminal. Returns its errno. */
int report(struct anim *a, const char *path, const struct anm_error *err);
int report_node(const struct node *n, const struct anm_error *err);
/* Appends the content of a host node ("errors", "status"). */
void host_render(struct mount *m, struct anim *a, const char *label, struct anm_buf *out);
/* A line on the terminal or in syslog. */
void say(const struct mount *m, int priority, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- scratch.c --- */
/* True when `name` in `dir` is an editor's or tool's own file. */
bool scratch_name(struct node *dir, const char *name);
/* What is wrong with a new name of any kind: too long; control characters, which no node has, and which must not reach a terminal
 * or forge a line of a log. 0 or an errno. */
int name_errno(const char *name);

/* --- notify.c --- */
int notifier_start(struct mount *m);
/* Ends the notifier when it has done all. False: not yet, and what it waits for may be the answer to a request. */
bool notifier_end(struct mount *m);
/* Queues an invalidation for the reply in hand. */
void change_inode(struct mount *m, const struct node *n);
void change_entry(struct mount *m, const struct node *parent, const char *name);
/* Replies; behind the queued invalidations when there are any. */
void reply_err(struct mount *m, fuse_req_t req, int error);
void reply_attr(struct mount *m, fuse_req_t req, struct node *n);
void reply_entry(struct mount *m, fuse_req_t req, struct node *n);
/* Sends the queued invalidations without a reply. */
void flush_changes(struct mount *m);
void fill_entry(struct mount *m, struct node *n, struct fuse_entry_param *e);

/* --- handlers, by file --- */
extern const struct fuse_lowlevel_ops amnt_ops;
void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi);
void op_releasedir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi);
void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *fi);
void op_write(fuse_req_t req, fuse_ino_t ino, const char *bytes, size_t size, off_t offset, struct fuse_file_info *fi);
void op_flush(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_fsync(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_fsyncdir(fuse_req_t req, fuse_ino_t ino, int datasync, struct fuse_file_info *fi);
void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi);
void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *fi);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t newparent, const char *newname,
               unsigned flags);
void op_readlink(fuse_req_t req, fuse_ino_t ino);
void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev);
void op_symlink(fuse_req_t req, const char *link, fuse_ino_t parent, const char *name);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent, const char *newname);

/* --- handle.c --- */
/* A handle for `n`; NULL when out of memory. */
struct handle *handle_open(struct mount *m, struct node *n, bool writable);
/* Frees it. When the last writer leaves, what it left behind is committed or dropped. */
void handle_close(struct mount *m, struct handle *h);
/* At the end of the mount: the handles whose release never came. `closed`: the kernel had closed them all. */
void handles_end(struct mount *m, bool closed);

/* --- loop.c --- */
/* Serves requests until unmounted from `target` or told to stop. 0, or an errno. */
int loop_run(struct mount *m, const char *target);
/* Blocks the signals that end a mount: loop_run() reads them. */
void loop_signals(void);

/* --- options.c --- */
/* Parses the command line. 0 to go on, 1 when done (help, version), -1 with a message printed. */
int options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

/* The handle in `fi`; NULL on a read-only mount, where files are not opened. */
static inline struct handle *handle_of(const struct fuse_file_info *fi)
{
    return fi ? (struct handle *)(uintptr_t)fi->fh : NULL; // NOLINT(performance-no-int-to-ptr)
}

/* The mount a request belongs to. */
static inline struct mount *mount_of(fuse_req_t req)
{
    return fuse_req_userdata(req);
}

#endif
