package secrets

import "github.com/kappagraph/kappa"

// Rotate has all that is sealed sealed anew with another key: the first of the file if an
// operator has put one there before the old one, else one that it makes. all calls reseal
// with each row, and stores every result or none. Until that is done the file holds both
// keys, so that nothing is lost wherever it stops; afterwards it holds the new one alone,
// unless the file is not ours to write.
func (v *Vault) Rotate(all func(reseal func(row, keyID string, sealed []byte) (newID string, newSealed []byte, err error)) error) error {
	made, err := v.beginRotation()
	if err != nil {
		return err
	}
	err = all(func(row, keyID string, sealed []byte) (string, []byte, error) {
		value, err := v.Open(row, keyID, sealed)
		if err != nil {
			return "", nil, err
		}
		return v.Seal(row, value)
	})
	v.endRotation(made, err == nil)
	return err
}

// beginRotation has the file hold a new key before the old one.
func (v *Vault) beginRotation() (made bool, err error) {
	v.Reload()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil || len(v.keys) > 1 {
		return false, v.err
	}
	k, err := makeKey()
	if err != nil {
		return false, err
	}
	keys := append([]key{k}, v.keys...)
	if err := writeKeys(v.path, keys); err != nil {
		return false, &kappa.Error{Code: kappa.CodeUnavailable, Message: "The file " + v.path + " cannot be written by this server: put a new line before the old one yourself, on every server (openssl rand -base64 32 makes one), and rotate again", Err: err}
	}
	v.keys = keys
	return true, nil
}

// endRotation has the file hold the new key alone, or after a failure what it held before.
// One that cannot be written goes on holding both.
func (v *Vault) endRotation(made, done bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	keys := v.keys[:1]
	if !done {
		keys = v.keys[1:]
	}
	if (done || made) && len(keys) > 0 && writeKeys(v.path, keys) == nil {
		v.keys = keys
	}
}
