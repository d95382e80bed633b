package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/kappagraph/kappa"
)

// key is a key of AES-256-GCM.
type key struct {
	id   string // says which one it is, and nothing about it
	raw  []byte
	aead cipher.AEAD
}

func newKey(raw []byte) (key, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, fmt.Errorf("use a key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return key{}, fmt.Errorf("use a key: %w", err)
	}
	sum := sha256.Sum256(append([]byte("kappa key id\x00"), raw...))
	return key{id: hex.EncodeToString(sum[:6]), raw: raw, aead: aead}, nil
}

// bound is what a sealed value is bound to: its row, and the key that sealed it.
func (k key) bound(row string) []byte { return []byte("kappa provider key\x00" + row + "\x00" + k.id) }

// Vault seals and opens with the keys of a file, of which the first is the current one. It
// is safe for concurrent use.
type Vault struct {
	path string

	mu   sync.Mutex
	keys []key
	err  error // why the file cannot be used
}

// Open returns the vault of a key file, which need not be there yet. It reads the file, and
// fails for none: what is wrong with it is the error of what needs it.
func Open(path string) *Vault {
	v := &Vault{path: path}
	v.Reload()
	return v
}

// Path returns the path of the file.
func (v *Vault) Path() string { return v.path }

// Reload reads the file again.
func (v *Vault) Reload() {
	keys, err := readKeys(v.path)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys, v.err = keys, err
}

// Seal encrypts a value for a row, with the current key, which is made when there is none.
// It returns the id of that key.
func (v *Vault) Seal(row, value string) (keyID string, sealed []byte, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return "", nil, v.err
	}
	if len(v.keys) == 0 {
		if err := v.makeLocked(); err != nil {
			return "", nil, err
		}
	}
	k := v.keys[0]
	return k.id, seal(k, row, value), nil
}

// makeLocked makes the file, or reads the one that another server has made meanwhile.
func (v *Vault) makeLocked() error {
	k, err := makeKey()
	if err != nil {
		return err
	}
	switch err = createKeys(v.path, k); {
	case errors.Is(err, fs.ErrExist):
		v.keys, err = readKeys(v.path)
		return err
	case err != nil:
		return unusable(v.path, "is not there and cannot be made", err)
	}
	v.keys = []key{k}
	return nil
}

func seal(k key, row, value string) []byte {
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // it never fails
	return k.aead.Seal(nonce, nonce, []byte(value), k.bound(row))
}

// Open decrypts what was sealed for a row. The error is a CodeUnavailable Error that names
// the file, and says what to do.
func (v *Vault) Open(row, keyID string, sealed []byte) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return "", v.err
	}
	for _, k := range v.keys {
		if k.id != keyID {
			continue
		}
		size := k.aead.NonceSize()
		if len(sealed) < size {
			break
		}
		value, err := k.aead.Open(nil, sealed[:size], sealed[size:], k.bound(row))
		if err == nil {
			return string(value), nil
		}
		return "", &kappa.Error{Code: kappa.CodeUnavailable, Message: fmt.Sprintf("The stored key of %s was changed in the database, or belongs to another row; delete it and set it again", row), Err: err}
	}
	what := "is not there"
	if len(v.keys) > 0 {
		what = "holds another key"
	}
	return "", &kappa.Error{Code: kappa.CodeUnavailable, Message: fmt.Sprintf(
		"The stored key of %s was encrypted with the key %s, and the file %s %s; copy that file from the server that stored the key (KG_SECRETS_KEY_FILE names it), or delete the stored key and set it again: kg admin models keys delete %s", row, keyID, v.path, what, row)}
}

// Current returns the id of the key that Seal uses; "" before there is one.
func (v *Vault) Current() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.keys) == 0 {
		return ""
	}
	return v.keys[0].id
}
