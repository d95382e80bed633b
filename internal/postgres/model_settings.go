package postgres

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// ModelStore keeps what was set at run time about models. Every change raises the revision
// and is recorded, in one transaction; none of them records or logs a key.
type ModelStore struct{ *base }

// Models returns the store of what models are used.
func (d *DB) Models() ModelStore { return ModelStore{&d.base} }

// Revision returns a number that rises with each change.
func (s ModelStore) Revision(ctx context.Context) (int64, error) {
	row, err := s.q().ModelSettings(ctx)
	return row.Revision, translate(err, "read the revision of the settings of models")
}

// Stored returns all that is set. What is changed meanwhile has a higher revision.
func (s ModelStore) Stored(ctx context.Context) (models.Stored, error) {
	is, err := storedModels(ctx, s.q())
	return is, translate(err, "read the settings of models")
}

func storedModels(ctx context.Context, q *db.Queries) (is models.Stored, err error) {
	row, err := q.ModelSettings(ctx)
	if err != nil {
		return is, err
	}
	is.Revision, is.MaxCalls, is.Providers = row.Revision, fromInt32(row.MaxCalls), map[string]models.ProviderChange{}
	profiles, err := q.ModelProfilesActive(ctx)
	if err != nil {
		return is, err
	}
	for _, p := range profiles {
		is.Active = append(is.Active, toModelProfile(p))
	}
	providers, err := q.ProviderSettings(ctx)
	if err != nil {
		return is, err
	}
	for _, p := range providers {
		is.Providers[p.Provider] = models.ProviderChange{
			URL: p.Url, Context: fromInt32(p.Context), Calls: fromInt32(p.MaxCalls),
			RequestsPerMinute: fromInt32(p.RequestsPerMinute), TokensPerMinute: fromInt32(p.TokensPerMinute),
		}
	}
	prices, err := q.ModelPrices(ctx)
	if err != nil {
		return is, err
	}
	for _, p := range prices {
		is.Prices = append(is.Prices, models.Price{Provider: p.Provider, Model: p.Model, Input: p.Input, Output: p.Output})
	}
	is.Keys, err = sealedKeys(ctx, q)
	return is, err
}

// Profiles returns every stored model of a slot.
func (s ModelStore) Profiles(ctx context.Context, slot models.Slot) ([]models.Profile, error) {
	rows, err := s.q().ModelProfiles(ctx, string(slot))
	list := make([]models.Profile, len(rows))
	for i, r := range rows {
		list[i] = toModelProfile(r)
	}
	return list, translate(err, "list the models of "+string(slot))
}

// AddProfile stores a model, and has the servers use it if it is active, with a change to
// its provider. It returns a CodeConflict Error when it would take the place of one that is
// protected against that.
func (s ModelStore) AddProfile(ctx context.Context, p models.Profile, c models.ProviderChange) (models.Profile, error) {
	added := p
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		if p.Active {
			if err := checkUnprotected(ctx, q, p.Slot); err != nil {
				return act{}, err
			}
		}
		row, err := q.ModelProfileInsert(ctx, db.ModelProfileInsertParams{
			Slot: string(p.Slot), Name: p.Name, Provider: p.Provider, Model: p.Model, MaxTokens: int32(p.MaxTokens), Dimensions: int32(p.Dimensions), UpdatedBy: actingName(ctx),
		})
		if err != nil {
			return act{}, err
		}
		added = toModelProfile(row)
		a := act{action: "model.add", object: "model", id: fmt.Sprint(added.ID), after: shownProfile(added)}
		if !p.Active {
			return a, nil
		}
		a.action = "model.set"
		added, a.before, err = activate(ctx, q, added, false)
		a.after = shownProfile(added)
		if err != nil || c == (models.ProviderChange{}) {
			return a, err
		}
		changed, err := setProvider(ctx, q, p.Provider, c)
		if err != nil {
			return a, err
		}
		return a, record(ctx, q, changed)
	})
	return added, translate(err, "store a model for "+string(p.Slot))
}

// ActivateProfile has the servers use a stored model, whose embeddings have so many
// dimensions, and protects it. It returns a CodeNotFound Error for one that is not there.
func (s ModelStore) ActivateProfile(ctx context.Context, slot models.Slot, id, dimensions int) (was int, p models.Profile, err error) {
	err = s.change(ctx, func(q *db.Queries) (act, error) {
		if p, err = lockedProfile(ctx, q, slot, id); err != nil {
			return act{}, err
		}
		p.Dimensions = dimensions
		var before any
		p, before, err = activate(ctx, q, p, true)
		if b, ok := before.(map[string]any); ok {
			was, _ = b["id"].(int)
		}
		return act{action: "model.activate", object: "model", id: fmt.Sprint(id), before: before, after: shownProfile(p)}, err
	})
	return was, p, translate(err, fmt.Sprintf("activate the model %d", id))
}

// activate makes a stored model the one of its slot, and returns which one was.
func activate(ctx context.Context, q *db.Queries, p models.Profile, protect bool) (is models.Profile, before any, err error) {
	ids, err := q.ModelProfileDeactivate(ctx, string(p.Slot))
	if err != nil {
		return p, nil, err
	}
	if len(ids) > 0 {
		before = map[string]any{"id": int(ids[0])}
	}
	row, err := q.ModelProfileActivate(ctx, db.ModelProfileActivateParams{ProfileID: int32(p.ID), Protect: protect, Dimensions: int32(p.Dimensions), UpdatedBy: actingName(ctx)})
	return toModelProfile(row), before, err
}

// ClearSlot has the servers use for a slot what they begin with.
func (s ModelStore) ClearSlot(ctx context.Context, slot models.Slot) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		if err := checkUnprotected(ctx, q, slot); err != nil {
			return act{}, err
		}
		ids, err := q.ModelProfileDeactivate(ctx, string(slot))
		return act{action: "model.reset", object: "model", id: string(slot), before: map[string]any{"id": ids}}, err
	})
	return translate(err, "reset the model of "+string(slot))
}

// ProtectProfile sets what a stored model is protected against; nil leaves it as it is. It
// returns a CodeNotFound Error for one that is not there.
func (s ModelStore) ProtectProfile(ctx context.Context, slot models.Slot, id int, deletion, change *bool) (p models.Profile, err error) {
	err = s.change(ctx, func(q *db.Queries) (act, error) {
		was, err := lockedProfile(ctx, q, slot, id)
		if err != nil {
			return act{}, err
		}
		row, err := q.ModelProfileProtect(ctx, db.ModelProfileProtectParams{ProfileID: int32(id), DeleteProtected: deletion, ChangeProtected: change, UpdatedBy: actingName(ctx)})
		p = toModelProfile(row)
		return act{action: "model.protect", object: "model", id: fmt.Sprint(id), before: shownProfile(was), after: shownProfile(p)}, err
	})
	return p, translate(err, fmt.Sprintf("protect the model %d", id))
}

// DeleteProfile deletes a stored model. It returns a CodeNotFound Error for one that is not
// there, and a CodeConflict Error for one that is active or protected.
func (s ModelStore) DeleteProfile(ctx context.Context, slot models.Slot, id int) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		was, err := lockedProfile(ctx, q, slot, id)
		switch {
		case err != nil:
			return act{}, err
		case was.Active:
			return act{}, kappa.NewError(kappa.CodeConflict, fmt.Sprintf("The model %d is active; activate another one first", id))
		case was.DeleteProtected:
			return act{}, kappa.NewError(kappa.CodeConflict, fmt.Sprintf("The model %d is protected against deletion; remove that first", id))
		}
		return act{action: "model.delete", object: "model", id: fmt.Sprint(id), before: shownProfile(was)}, q.ModelProfileDelete(ctx, int32(id))
	})
	return translate(err, fmt.Sprintf("delete the model %d", id))
}

// SetProvider changes how a provider is reached and limited.
func (s ModelStore) SetProvider(ctx context.Context, provider string, c models.ProviderChange) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) { return setProvider(ctx, q, provider, c) })
	return translate(err, "change the settings of "+provider)
}

func setProvider(ctx context.Context, q *db.Queries, provider string, c models.ProviderChange) (act, error) {
	stored, err := storedModels(ctx, q)
	if err != nil {
		return act{}, err
	}
	was := stored.Providers[provider]
	is := was.With(c)
	err = q.ProviderSettingsSet(ctx, db.ProviderSettingsSetParams{
		Provider: provider, Url: is.URL, Context: toInt32(is.Context), MaxCalls: toInt32(is.Calls),
		RequestsPerMinute: toInt32(is.RequestsPerMinute), TokensPerMinute: toInt32(is.TokensPerMinute),
	})
	return act{action: "provider.set", object: "provider", id: provider, before: was, after: is}, err
}

// SetMaxCalls changes how many calls to all providers may run at once; nil is as the
// servers begin.
func (s ModelStore) SetMaxCalls(ctx context.Context, most *int) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		return act{action: "model.max_calls", object: "model", id: "max_calls", after: map[string]any{"max_calls": most}}, q.ModelMaxCallsSet(ctx, toInt32(most))
	})
	return translate(err, "change how many calls run at once")
}

// SetPrice sets what a model costs.
func (s ModelStore) SetPrice(ctx context.Context, p models.Price) error {
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		return act{action: "price.set", object: "price", id: p.Provider + "/" + p.Model, after: p}, q.ModelPriceSet(ctx, db.ModelPriceSetParams(p))
	})
	return translate(err, "set the price of "+p.Provider+"/"+p.Model)
}

// DeletePrice has a model cost what the servers begin with. It returns a CodeNotFound Error
// where no price was set.
func (s ModelStore) DeletePrice(ctx context.Context, provider, model string) error {
	none := kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("No price was set for the model %q of %q", model, provider))
	if inNoRow(provider, model) {
		return none
	}
	err := s.change(ctx, func(q *db.Queries) (act, error) {
		n, err := q.ModelPriceDelete(ctx, provider, model)
		if err == nil && n == 0 {
			err = none
		}
		return act{action: "price.delete", object: "price", id: provider + "/" + model}, err
	})
	return translate(err, "delete the price of "+provider+"/"+model)
}

// change makes a change under the next revision, and records it.
func (s ModelStore) change(ctx context.Context, do func(q *db.Queries) (act, error)) error {
	return inTx(ctx, s.jobs, func(q *db.Queries) error {
		if _, err := q.ModelSettingsTouch(ctx); err != nil {
			return err
		}
		a, err := do(q)
		if err != nil {
			return err
		}
		return record(ctx, q, a)
	})
}

// checkUnprotected returns a CodeConflict Error when the active model of a slot is protected
// against being replaced.
func checkUnprotected(ctx context.Context, q *db.Queries, slot models.Slot) error {
	rows, err := q.ModelProfilesActive(ctx)
	for _, r := range rows {
		if r.Slot == string(slot) && r.ChangeProtected {
			return kappa.NewError(kappa.CodeConflict, fmt.Sprintf("The model %d (%s/%s) is protected against being replaced; remove that first, or activate another one", r.ProfileID, r.Provider, r.Model))
		}
	}
	return err
}

func lockedProfile(ctx context.Context, q *db.Queries, slot models.Slot, id int) (models.Profile, error) {
	row, err := q.ModelProfile(ctx, int32(id), string(slot))
	if isNoRows(err) {
		return models.Profile{}, kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("There is no model %d for %s", id, slot))
	}
	return toModelProfile(row), err
}

// shownProfile is what is recorded of a model.
func shownProfile(p models.Profile) map[string]any {
	return map[string]any{
		"slot": p.Slot, "provider": p.Provider, "model": p.Model, "active": p.Active, "delete_protected": p.DeleteProtected, "change_protected": p.ChangeProtected,
	}
}

func toModelProfile(r db.KgApiModelProfile) models.Profile {
	return models.Profile{
		ID: int(r.ProfileID), Slot: models.Slot(r.Slot), Name: r.Name, Provider: r.Provider, Model: r.Model, MaxTokens: int(r.MaxTokens), Dimensions: int(r.Dimensions),
		Active: r.Active, DeleteProtected: r.DeleteProtected, ChangeProtected: r.ChangeProtected,
		CreatedAt: kappa.At(r.CreatedAt), UpdatedAt: kappa.At(r.UpdatedAt), UpdatedBy: r.UpdatedBy,
	}
}

// actingName is who does something; "" is the server itself.
func actingName(ctx context.Context) string {
	actor, _ := access.ActorOf(ctx)
	return actor.Username
}

func fromInt32(n *int32) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}

func toInt32(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(int32(*n))
}
