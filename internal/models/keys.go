package models

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	mostKey  = 4096 // bytes
	showFrom = 12   // bytes of a key of which the last four are shown
)

// keys keeps the keys of providers, encrypted.
type keys interface {
	// SetKey stores a key unless check refuses the stored ones.
	SetKey(ctx context.Context, k models.SealedKey, check func(stored []models.SealedKey) error) error
	DeleteKey(ctx context.Context, provider string) error
	// ResealKeys stores every key as reseal returns it, or none.
	ResealKeys(ctx context.Context, reseal func(models.SealedKey) (models.SealedKey, error)) (int, error)
}

// vault encrypts for a row, with a key that is in a file; see package secrets.
type vault interface {
	Seal(row, value string) (keyID string, sealed []byte, err error)
	Open(row, keyID string, sealed []byte) (string, error)
	Rotate(all func(reseal func(row, keyID string, sealed []byte) (string, []byte, error)) error) error
	Reload()
}

// storedKey is a key that was stored, and what became of decrypting it.
type storedKey struct {
	models.SealedKey

	value string
	err   error
}

// openKeys decrypts the stored keys. One that cannot be is logged, and its provider says
// why; everything else goes on.
func (s *Service) openKeys(ctx context.Context, sealed []models.SealedKey) map[string]storedKey {
	open := func(k models.SealedKey) storedKey {
		value, err := s.cfg.Vault.Open(k.Provider, k.KeyID, k.Sealed)
		return storedKey{SealedKey: k, value: value, err: err}
	}
	opened := map[string]storedKey{}
	for _, k := range sealed {
		o := open(k)
		if o.err != nil { // the file may be another one by now
			s.cfg.Vault.Reload()
			o = open(k)
		}
		if before, known := s.state.Load().keys[k.Provider]; o.err != nil && (!known || before.err == nil) {
			s.cfg.Log.ErrorContext(ctx, "a stored key cannot be read; calls to its provider wait", "provider", k.Provider, "err", o.err)
		}
		opened[k.Provider] = o
	}
	return opened
}

// keyMissing reports whether a stored key cannot be read: its file may be put back, of
// which the database says nothing.
func (s *Service) keyMissing() bool {
	for _, k := range s.state.Load().keys {
		if k.err != nil {
			return true
		}
	}
	return false
}

// Key returns the key of a provider as it is now: that of the environment, else the stored
// one, else "". The error says why the stored one cannot be read, and names the file.
func (s *Service) Key(provider string) (string, error) {
	if k, ok := s.cfg.Environment[provider]; ok {
		return k.Value, nil
	}
	k := s.state.Load().keys[provider]
	return k.value, k.err
}

// KeyList returns what is shown of the keys.
func (s *Service) KeyList() []models.KeyStatus {
	var list []models.KeyStatus
	for _, provider := range s.cfg.Rules.KeyProviders {
		list = append(list, s.keyStatus(provider))
	}
	return list
}

func (s *Service) keyStatus(provider string) models.KeyStatus {
	status := models.KeyStatus{Provider: provider, Source: "none"}
	if k, ok := s.cfg.Environment[provider]; ok {
		status.Configured, status.Source, status.FixedBy, status.Status = true, "environment", k.Setting, new("untested")
		status.MaskedKey = mask(lastFour(k.Value))
		return status
	}
	k, stored := s.state.Load().keys[provider]
	if !stored {
		return status
	}
	status.Configured, status.Source, status.Status, status.MaskedKey = true, "stored", new("valid"), mask(k.LastFour)
	status.ValidatedAt, status.UpdatedAt, status.UpdatedBy = &k.ValidatedAt, &k.UpdatedAt, k.UpdatedBy
	if k.err != nil {
		status.Status, status.Error = new("invalid"), new(kappa.ErrorMessage(k.err))
	}
	return status
}

func mask(last string) *string { return new("…" + last) }

// lastFour returns what is shown of a key: nothing of a short one.
func lastFour(key string) string {
	if len(key) < showFrom {
		return ""
	}
	return key[len(key)-4:]
}

// SetKey tries a key with a call to its provider, and stores it. It returns a CodeConflict
// Error when the environment has one, a CodeInvalid Error for what is no key, and a
// CodeConflict Error with the provider's reason when that refuses it.
func (s *Service) SetKey(ctx context.Context, provider, key string) (models.KeyStatus, error) {
	if err := s.checkKeyProvider(provider); err != nil {
		return models.KeyStatus{}, err
	}
	key = strings.TrimSpace(key)
	if key == "" || len(key) > mostKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return models.KeyStatus{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "api_key", Rule: "must be one line of letters, digits and signs; it is not shown"})
	}
	slot, model := s.trialOf(provider)
	if err := s.try(ctx, models.Trial{Slot: slot, Provider: provider, Model: model, Key: &key}, nil); err != nil {
		return models.KeyStatus{}, err
	}
	err := s.storeKey(ctx, provider, key)
	if kappa.ErrorCode(err) == kappa.CodeConflict { // keys may have been encrypted anew by another server
		s.cfg.Vault.Reload()
		err = s.storeKey(ctx, provider, key)
	}
	if err := s.changed(ctx, err); err != nil {
		return models.KeyStatus{}, err
	}
	return s.keyStatus(provider), nil
}

func (s *Service) storeKey(ctx context.Context, provider, key string) error {
	id, sealed, err := s.cfg.Vault.Seal(provider, key)
	if err != nil {
		return err
	}
	k := models.SealedKey{Provider: provider, KeyID: id, Sealed: sealed, LastFour: lastFour(key)}
	return s.cfg.Keys.SetKey(ctx, k, func(stored []models.SealedKey) error {
		for _, o := range stored {
			if o.KeyID != id {
				return kappa.NewError(kappa.CodeConflict, fmt.Sprintf(
					"the stored key of %s was encrypted with the key %s, and this server has the key %s in its file: give all servers the same file (KG_SECRETS_KEY_FILE), or delete the stored key first: kg admin models keys delete %s", o.Provider, o.KeyID, id, o.Provider))
			}
		}
		return nil
	})
}

// DeleteKey deletes the stored key of a provider. It returns a CodeConflict Error when the
// environment has one, and a CodeNotFound Error when none is stored.
func (s *Service) DeleteKey(ctx context.Context, provider string) error {
	if err := s.checkKeyProvider(provider); err != nil {
		return err
	}
	return s.changed(ctx, s.cfg.Keys.DeleteKey(ctx, provider))
}

// RotateKeys encrypts every stored key anew with another key, all of them or none, and
// returns how many there are. Servers that do not share the file need the new one.
func (s *Service) RotateKeys(ctx context.Context) (n int, err error) {
	err = s.cfg.Vault.Rotate(func(reseal func(row, keyID string, sealed []byte) (string, []byte, error)) error {
		n, err = s.cfg.Keys.ResealKeys(ctx, func(k models.SealedKey) (models.SealedKey, error) {
			k.KeyID, k.Sealed, err = reseal(k.Provider, k.KeyID, k.Sealed)
			return k, err
		})
		return err
	})
	return n, s.changed(ctx, err)
}

// checkKeyProvider returns why no key of a provider can be set here.
func (s *Service) checkKeyProvider(provider string) error {
	for _, p := range s.cfg.Rules.KeyProviders {
		if p != provider {
			continue
		}
		if k, ok := s.cfg.Environment[provider]; ok {
			return models.FixedBy("the key of "+provider, k.Setting)
		}
		return nil
	}
	return kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("There is no key of %q; keys are those of %s", provider, strings.Join(s.cfg.Rules.KeyProviders, " and ")))
}

// trialOf returns what a key of a provider is tried with: a model that is used, or else the
// one that would read.
func (s *Service) trialOf(provider string) (models.Slot, string) {
	in := s.InUse()
	for _, slot := range models.Slots() {
		if in.Slots[slot].Provider == provider {
			return slot, in.Slots[slot].Model
		}
	}
	return models.SlotExtraction, s.cfg.Rules.Default(models.SlotExtraction, provider)
}
