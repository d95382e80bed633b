package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// SetKey stores the key of a provider, which is encrypted already. check is called with
// the keys that are stored while nobody else changes any; its error is returned, and then
// nothing is stored.
func (s ModelStore) SetKey(ctx context.Context, k models.SealedKey, check func(stored []models.SealedKey) error) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		stored, err := sealedKeys(ctx, q)
		if err != nil {
			return act{}, err
		}
		if err := check(stored); err != nil {
			return act{}, err
		}
		err = q.ProviderKeySet(ctx, db.ProviderKeySetParams{Provider: k.Provider, KeyID: k.KeyID, Sealed: k.Sealed, LastFour: k.LastFour, UpdatedBy: actingName(ctx)})
		return act{action: "key.set", object: "key", id: k.Provider}, err
	})
	return translate(err, "store the key of "+k.Provider)
}

// DeleteKey deletes the key of a provider. It returns a CodeNotFound Error when none is
// stored.
func (s ModelStore) DeleteKey(ctx context.Context, provider string) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		n, err := q.ProviderKeyDelete(ctx, provider)
		if err == nil && n == 0 {
			err = kappa.NewError(kappa.CodeNotFound, "No key of "+provider+" is stored")
		}
		return act{action: "key.delete", object: "key", id: provider}, err
	})
	return translate(err, "delete the key of "+provider)
}

// ResealKeys stores every key, and every secret of a webhook, as reseal encrypts it anew, or none
// of them when that fails, and returns how many there are.
func (s ModelStore) ResealKeys(ctx context.Context, reseal func(models.SealedKey) (models.SealedKey, error)) (n int, err error) {
	err = s.change(ctx, func(q *db.Queries) (act, error) {
		stored, err := sealedKeys(ctx, q)
		if err != nil {
			return act{}, err
		}
		for _, k := range stored {
			if k, err = reseal(k); err != nil {
				return act{}, err
			}
			if err := q.ProviderKeyReseal(ctx, k.KeyID, k.Sealed, k.Provider); err != nil {
				return act{}, err
			}
		}
		secrets, err := resealWebhooks(ctx, q, func(row, keyID string, sealed []byte) (string, []byte, error) {
			k, err := reseal(models.SealedKey{Provider: row, KeyID: keyID, Sealed: sealed})
			return k.KeyID, k.Sealed, err
		})
		if err != nil {
			return act{}, err
		}
		n = len(stored) + secrets
		return act{action: "key.rotate", object: "key", id: "all", after: map[string]any{"keys": n}}, nil
	})
	return n, translate(err, "encrypt the keys of providers anew")
}

func sealedKeys(ctx context.Context, q *db.Queries) ([]models.SealedKey, error) {
	rows, err := q.ProviderKeys(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]models.SealedKey, len(rows))
	for i, r := range rows {
		keys[i] = models.SealedKey{
			Provider: r.Provider, KeyID: r.KeyID, Sealed: r.Sealed, LastFour: r.LastFour,
			ValidatedAt: kappa.At(r.ValidatedAt), UpdatedAt: kappa.At(r.UpdatedAt), UpdatedBy: r.UpdatedBy,
		}
	}
	return keys, nil
}
