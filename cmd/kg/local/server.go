package local

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kappagraph/kappa/access"
)

// urlFile is the name of the file, in the data directory.
const urlFile = "url"

// maxFile bounds what is read of the file.
const maxFile = 1000

// ErrNoServer reports that no server has written where it listens.
var ErrNoServer = errors.New("no server runs on this machine")

// Server is a running server, as it describes itself to the client commands of the
// same user: where it listens, and a key that it proves to know. Nobody else can
// read the key, so a process that took the port of a server that has stopped cannot.
type Server struct {
	URL string
	key string
}

// NewServer describes a server that listens at an address, with a new key.
func NewServer(url string) Server { return Server{URL: url, key: rand.Text() + rand.Text()} }

// Proof returns what proves to a client that this server knows the key; see
// access.ServerProof.
func (s Server) Proof(nonce string) string { return access.ServerProof(s.key, s.URL, nonce) }

// URLFile returns the path of the file below a data directory.
func URLFile(dataDir string) string { return filepath.Join(dataDir, urlFile) }

// Read returns the server that wrote the file of a data directory. It returns
// ErrNoServer when there is none, and another error when the file may have been
// written by somebody else: it must be a file of this user, or of root, that nobody
// else can read.
func Read(dataDir string) (Server, error) {
	path := URLFile(dataDir)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Server{}, fmt.Errorf("%w: there is no %s", ErrNoServer, path)
	}
	if err != nil {
		return Server{}, fmt.Errorf("find the server of this machine: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := checkFile(f); err != nil {
		return Server{}, fmt.Errorf("find the server of this machine: %s: %w", path, err)
	}
	body, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return Server{}, fmt.Errorf("find the server of this machine: %w", err)
	}
	url, key, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if url == "" || key == "" {
		return Server{}, fmt.Errorf("find the server of this machine: %s has no address and key: restart the server", path)
	}
	return Server{URL: url, key: key}, nil
}

// checkFile returns an error unless the file is one that only this user, or root,
// can have written and can read.
func checkFile(f *os.File) error {
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	if !stat.Mode().IsRegular() || stat.Mode().Perm()&0o077 != 0 {
		return errors.New("it is not a file that only its owner can read")
	}
	if owner, ok := stat.Sys().(*syscall.Stat_t); ok && int(owner.Uid) != os.Geteuid() && owner.Uid != 0 {
		return errors.New("it belongs to somebody else")
	}
	return nil
}

// Write writes the file, so that a reader finds the old one or the new one, whole.
// It follows no link, and refuses a data directory that others may write.
func (s Server) Write(dataDir string) (err error) {
	if err := os.MkdirAll(dataDir, 0o755); err != nil {
		return err
	}
	dir, err := os.OpenRoot(dataDir)
	if err != nil {
		return err
	}
	defer dir.Close() //nolint:errcheck // it was only read
	stat, err := dir.Stat(".")
	if err != nil {
		return err
	}
	if stat.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others may write to %s: run chmod go-w on it", dataDir)
	}
	temporary := urlFile + "." + rand.Text()
	if err := writeNew(dir, temporary, s.text()); err != nil {
		return errors.Join(err, dir.Remove(temporary))
	}
	return dir.Rename(temporary, urlFile)
}

// writeNew writes a file that does not exist yet.
func writeNew(dir *os.Root, name, text string) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (s Server) text() string { return s.URL + "\n" + s.key + "\n" }

// Remove removes the file, unless another server with the same data directory has
// written its own since.
func (s Server) Remove(dataDir string) {
	if written, err := Read(dataDir); err == nil && written == s {
		_ = os.Remove(URLFile(dataDir)) // the next start writes it anew
	}
}
