package files

import (
	"path/filepath"
	"time"
)

// entry is a file on the disk.
type entry struct {
	name string // opaque, in the directory
	size int64  // of the file
	disk int64  // bytes that it takes; a footer takes fewer than its size
	etag string // or the time of its last change, to ask by; "" = its server says neither

	checked  time.Time     // when its server was asked last
	fetching chan struct{} // closed when it has been fetched; nil otherwise
	users    int
	used     int64 // the clock at its last use
	gone     bool  // it is in no list, and goes with its last user
}

// File is a file in use.
type File struct {
	Path string
	Size int64 // bytes of the file behind the URL

	files *Files
	entry *entry
}

// Close says that the file is no longer used. It may be called once.
func (f *File) Close() {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	f.files.leaveLocked(f.entry)
	f.files.evictLocked()
}

// Again returns the file for one more, who closes it too.
func (f *File) Again() *File {
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	return f.files.useLocked(f.entry)
}

func (f *Files) useLocked(e *entry) *File {
	f.clock++
	e.users++
	e.used = f.clock
	return &File{Path: filepath.Join(f.cfg.Dir, e.name), Size: e.size, files: f, entry: e}
}

func (f *Files) leaveLocked(e *entry) {
	e.users--
	if e.users == 0 && e.gone {
		f.removeLocked(e)
	}
}

func (f *Files) removeLocked(e *entry) {
	if err := f.root.Remove(e.name); err != nil {
		f.cfg.Log.Warn("a dataset's file could not be removed", "err", err)
		return
	}
	f.used -= e.disk
}

// evictLocked removes files that nobody uses, the longest unused first, until the rest is
// within the quota.
func (f *Files) evictLocked() {
	for f.used > f.cfg.Quota {
		var oldest key
		var found *entry
		for k, e := range f.entries {
			if e.fetching == nil && e.users == 0 && (found == nil || e.used < found.used) {
				oldest, found = k, e
			}
		}
		if found == nil {
			return
		}
		delete(f.entries, oldest)
		f.removeLocked(found)
	}
}

// reserve takes bytes of the disk for what is being written. When the quota does not have
// them, files that nobody uses go.
func (f *Files) reserve(bytes int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used += bytes
	f.evictLocked()
	if f.used > f.cfg.Quota {
		f.used -= bytes
		return false
	}
	f.free += bytes
	return true
}

// release gives back what was reserved and has not been written.
func (f *Files) release(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used -= bytes
	f.free -= bytes
}

// wrote says that so much of what was reserved is on the disk now.
func (f *Files) wrote(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.free -= bytes
}
