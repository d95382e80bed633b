package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// The constraints whose violation is an answer.
const (
	profileNameConstraint  = "vocabulary_profiles_pkey"
	profileKnownConstraint = "vocabulary_profile_is_known"
	typeNameConstraint     = "relationship_types_name_key"
)

// VocabularySettings returns how large the vocabulary may be.
func (s VocabularyStore) VocabularySettings(ctx context.Context) (vocabulary.Settings, error) {
	settings, err := vocabularySettings(ctx, db.New(s.graph))
	return settings, translate(err, "read the settings of the vocabulary")
}

func vocabularySettings(ctx context.Context, q *db.Queries) (vocabulary.Settings, error) {
	row, err := q.VocabularySettings(ctx)
	return vocabulary.Settings{
		Min: int(row.VocabMin), Max: int(row.VocabMax), Emergency: int(row.VocabEmergency), Profile: row.Profile,
		AutoThreshold: row.AutoThreshold, ReviewThreshold: row.ReviewThreshold,
		Curve:     vocabulary.Profile{Name: row.Profile, X1: row.X1, Y1: row.Y1, X2: row.X2, Y2: row.Y2},
		UpdatedAt: kappa.AtPtr(row.UpdatedAt), UpdatedBy: row.UpdatedBy,
	}, err
}

// ChangeVocabularySettings has change change the settings, and records that, unless it
// returns an error, which is returned. Changes come one after the other. It returns a
// CodeInvalid Error for a profile that is not known.
func (s VocabularyStore) ChangeVocabularySettings(ctx context.Context, change func(*vocabulary.Settings) error) (vocabulary.Settings, error) {
	var settings vocabulary.Settings
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.VocabularySettingsLock(ctx); err != nil {
			return err
		}
		was, err := vocabularySettings(ctx, q)
		if err != nil {
			return err
		}
		v := was
		settings = was
		if err := change(&v); err != nil || v == was {
			return err
		}
		err = q.VocabularySettingsStore(ctx, db.VocabularySettingsStoreParams{
			VocabMin: int32(v.Min), VocabMax: int32(v.Max), VocabEmergency: int32(v.Emergency), Profile: v.Profile,
			AutoThreshold: v.AutoThreshold, ReviewThreshold: v.ReviewThreshold, UpdatedBy: actorName(ctx),
		})
		if err != nil {
			return err
		}
		if settings, err = vocabularySettings(ctx, q); err != nil {
			return err
		}
		return record(ctx, q, act{action: "settings.update", object: "settings", id: "vocabulary", before: was, after: settings})
	})
	if violates(err, profileKnownConstraint) {
		return settings, brokenMember("aggressiveness_profile", "is not a known profile: see /admin/vocabulary/profiles")
	}
	return settings, translate(err, "store the settings of the vocabulary")
}

// Profiles returns the curves that the settings may name, the built-in ones first.
func (s VocabularyStore) Profiles(ctx context.Context) ([]vocabulary.KnownProfile, error) {
	rows, err := db.New(s.graph).ProfileList(ctx)
	list := make([]vocabulary.KnownProfile, len(rows))
	for i, r := range rows {
		list[i] = toProfile(r)
	}
	return list, translate(err, "list the profiles of the vocabulary")
}

// CreateProfile stores a curve. It returns a CodeConflict Error when the name is taken.
func (s VocabularyStore) CreateProfile(ctx context.Context, n vocabulary.NewProfile) (vocabulary.KnownProfile, error) {
	var made vocabulary.KnownProfile
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		row, err := q.ProfileInsert(ctx, db.ProfileInsertParams{
			Name: n.Name, X1: n.X1, Y1: n.Y1, X2: n.X2, Y2: n.Y2, Description: n.Description, CreatedBy: actorName(ctx),
		})
		if err != nil {
			return err
		}
		made = toProfile(row)
		return record(ctx, q, act{action: "profile.create", object: "profile", id: n.Name, after: made.Profile})
	})
	if violates(err, profileNameConstraint) {
		return made, conflict("Profile '%s' already exists", n.Name)
	}
	return made, translate(err, "create a profile of the vocabulary")
}

// DeleteProfile deletes a curve. It returns a CodeNotFound Error for an unknown name, a
// CodeForbidden Error for a built-in one, and a CodeConflict Error for the one in use.
func (s VocabularyStore) DeleteProfile(ctx context.Context, name string) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		row, err := q.ProfileForUpdate(ctx, name)
		switch {
		case isNoRows(err):
			return notFound("Profile not found: %s", name)
		case err != nil:
			return err
		case row.IsBuiltin:
			return kappa.NewError(kappa.CodeForbidden, "Cannot delete builtin profiles")
		}
		if err := q.ProfileDelete(ctx, name); err != nil {
			return err
		}
		return record(ctx, q, act{action: "profile.delete", object: "profile", id: name, before: toProfile(row).Profile})
	})
	if violates(err, profileKnownConstraint) {
		return conflict("Profile '%s' is in use; choose another one in the vocabulary's configuration first", name)
	}
	return translate(err, "delete a profile of the vocabulary")
}

func toProfile(r db.KgApiVocabularyProfile) vocabulary.KnownProfile {
	return vocabulary.KnownProfile{
		Profile:     vocabulary.Profile{Name: r.Name, X1: r.X1, Y1: r.Y1, X2: r.X2, Y2: r.Y2},
		Description: r.Description, Builtin: r.IsBuiltin, CreatedAt: kappa.At(r.CreatedAt),
	}
}

// AddType stores a relationship type. It returns a CodeConflict Error when there is one of
// the name, also one that was merged into another.
func (s VocabularyStore) AddType(ctx context.Context, n vocabulary.NewType) error {
	category := n.Category
	if category == "" {
		category = vocabulary.CategoryGenerated
	}
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		err := q.TypeAdd(ctx, db.TypeAddParams{Name: n.Name, Category: category, Description: n.Description, AddedBy: &n.By})
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "type.create", object: "type", id: n.Name, after: map[string]any{"category": category, "description": n.Description}})
	})
	if violates(err, typeNameConstraint) {
		return conflict("Relationship type '%s' already exists", n.Name)
	}
	return translate(err, "add a relationship type")
}

// actorName returns the name of whoever acts, nil when nobody does.
func actorName(ctx context.Context) *string {
	actor, ok := access.ActorOf(ctx)
	if !ok {
		return nil
	}
	return &actor.Username
}
