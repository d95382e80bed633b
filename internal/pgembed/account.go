package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is who runs PostgreSQL's programs. An ordinary user runs them
// himself. PostgreSQL refuses to run as root, so root takes the first of these
// that the machine allows:
//
//  1. the owner of the data directory, when it exists and is not root's
//  2. the user postgres, made by the distribution's package for this
//  3. the user nobody; other services may run as it too, hence not first
//  4. a user namespace in which root has another number, see
//     account_linux.go, where changing the user is forbidden or impossible.
//     Last, because outside of the namespace postgres is still root.
type account struct {
	name      string
	uid, gid  int // what postgres sees itself as
	namespace bool
}

// self is the account that runs this process.
func self() account {
	return account{name: "the current user", uid: os.Geteuid(), gid: os.Getegid()}
}

// chooseAccount returns the account that will run the programs p on dataDir.
func chooseAccount(ctx context.Context, p programs, dataDir string) (account, error) {
	owner, exists, err := ownerOf(dataDir)
	if err != nil {
		return account{}, err
	}
	if me := self(); me.uid != 0 {
		if exists && owner.uid != me.uid {
			return account{}, fmt.Errorf("the data directory %s belongs to user %d, not to the current user %d: run as its owner, or choose another data directory",
				dataDir, owner.uid, me.uid)
		}
		return me, nil
	}
	var tried []error
	for _, a := range rootAccounts(owner) {
		err := a.enter(ctx, p, "/")
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			return account{}, fmt.Errorf("run PostgreSQL as %s: %w", a.name, context.Cause(ctx))
		}
		tried = append(tried, fmt.Errorf("as %s: %w", a.name, err))
	}
	return account{}, fmt.Errorf("PostgreSQL refuses to run as root, and no other account could run it: run as an ordinary user, or set DATABASE_URL to use a running server: %w",
		errors.Join(tried...))
}

// rootAccounts lists the accounts that root tries, the best first.
func rootAccounts(owner account) []account {
	var accounts []account
	if owner.uid != 0 {
		accounts = append(accounts, owner)
	}
	for _, name := range []string{"postgres", "_postgres", "nobody"} {
		if a, ok := lookupAccount(name); ok {
			accounts = append(accounts, a)
		}
	}
	return append(accounts, namespaceAccounts()...)
}

// lookupAccount returns a user of this machine that is not root.
func lookupAccount(name string) (account, bool) {
	u, err := user.Lookup(name)
	if err != nil {
		return account{}, false
	}
	uid, errUID := strconv.Atoi(u.Uid)
	gid, errGID := strconv.Atoi(u.Gid)
	if errUID != nil || errGID != nil || uid == 0 {
		return account{}, false
	}
	return account{name: "user " + name, uid: uid, gid: gid}, true
}

// ownerOf returns the account that owns the data directory, and whether there
// is one. Without one the account is the zero account.
func ownerOf(dataDir string) (account, bool, error) {
	entry, err := os.Lstat(dataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return account{}, false, nil
	}
	if err != nil {
		return account{}, false, fmt.Errorf("look at the data directory: %w", err)
	}
	stat := entry.Sys().(*syscall.Stat_t)
	uid, gid := int(stat.Uid), int(stat.Gid)
	return account{name: fmt.Sprintf("user %d", uid), uid: uid, gid: gid}, true, nil
}

// fileOwner returns the user and group that own the account's files, as this
// process sees them.
func (a account) fileOwner() (uid, gid int) {
	if a.namespace {
		return os.Geteuid(), os.Getegid()
	}
	return a.uid, a.gid
}

// owner is who owns the account's files, as an account.
func (a account) owner() account {
	uid, gid := a.fileOwner()
	return account{name: a.name, uid: uid, gid: gid}
}

// attributes returns how the kernel starts a program as this account, in a
// process group of its own.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	switch {
	case a.namespace:
		enterNamespace(attr, a)
	case a.uid != os.Geteuid():
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}

// enter runs a harmless program as the account in dir. It fails with EACCES
// when the account cannot reach dir, and with another error when this process
// cannot become the account.
func (a account) enter(ctx context.Context, p programs, dir string) error {
	cmd := exec.CommandContext(ctx, p.path("postgres"), "--version")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, environment(), a.attributes()
	return cmd.Run()
}

// own makes the account the owner of dir and all that is in it. An interrupted
// run is repeated by the next, because dir itself is changed last.
func (a account) own(dir string) error {
	uid, gid := a.fileOwner()
	owner, _, err := ownerOf(dir)
	if err != nil || os.Geteuid() != 0 || owner.uid == uid {
		return err
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		return os.Lchown(path, uid, gid)
	})
	if err == nil {
		err = os.Lchown(dir, uid, gid)
	}
	if err != nil {
		return fmt.Errorf("give %s to %s: %w", dir, a.name, err)
	}
	return nil
}
