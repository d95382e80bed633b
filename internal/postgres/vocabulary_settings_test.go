package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func TestVocabularySettings(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	store, ctx := s.Vocabulary(), asActor(t)
	t.Run("the built-in curves and the defaults are there", func(t *testing.T) {
		curves := []vocabulary.Profile{
			{Name: "aggressive", X1: 0.1, Y1: 0, X2: 0.9, Y2: 1},
			{Name: "ease", X1: 0.25, Y1: 0.1, X2: 0.25, Y2: 1},
			{Name: "ease-in", X1: 0.42, Y1: 0, X2: 1, Y2: 1},
			{Name: "ease-in-out", X1: 0.42, Y1: 0, X2: 0.58, Y2: 1},
			{Name: "ease-out", X1: 0, Y1: 0, X2: 0.58, Y2: 1},
			{Name: "exponential", X1: 0.7, Y1: 0, X2: 0.84, Y2: 0},
			{Name: "gentle", X1: 0.5, Y1: 0.5, X2: 0.5, Y2: 0.5},
			{Name: "linear", X1: 0, Y1: 0, X2: 1, Y2: 1},
		}
		stored, err := store.Profiles(ctx)
		must(t, err)
		if len(stored) != len(curves) {
			t.Fatalf("%d curves, want %d", len(stored), len(curves))
		}
		for i, p := range curves {
			if stored[i].Profile != p || !stored[i].Builtin || stored[i].Description == "" {
				t.Errorf("stored %+v, want %+v", stored[i], p)
			}
		}
		settings, err := store.VocabularySettings(ctx)
		if err != nil || settings.Limits() != vocabulary.DefaultLimits() || settings.UpdatedAt != nil {
			t.Errorf("%+v, err %v", settings, err)
		}
	})
	mine := vocabulary.NewProfile{Profile: vocabulary.Profile{Name: "mine", X1: 0.2, Y1: -1, X2: 0.7, Y2: 2}, Description: "Late"}
	_, err := store.CreateProfile(ctx, mine)
	must(t, err)
	t.Run("a curve of one's own counts once it is chosen", func(t *testing.T) {
		got, err := store.ChangeVocabularySettings(ctx, func(v *vocabulary.Settings) error { v.Profile, v.Max = "mine", 80; return nil })
		if err != nil || got.Curve != mine.Profile || got.Max != 80 || got.UpdatedBy == nil || *got.UpdatedBy != access.AdminUsername || got.UpdatedAt == nil {
			t.Errorf("%+v, err %v", got, err)
		}
	})
	t.Run("refusals change nothing", func(t *testing.T) {
		_, err := store.ChangeVocabularySettings(ctx, func(v *vocabulary.Settings) error { v.Profile = "no such"; return nil })
		wantCode(t, err, kappa.CodeInvalid, "aggressiveness_profile: is not a known profile: see /admin/vocabulary/profiles")
		_, err = store.ChangeVocabularySettings(ctx, func(v *vocabulary.Settings) error { v.Max = v.Min; return v.Validate() })
		wantCode(t, err, kappa.CodeInvalid, "")
		_, err = store.CreateProfile(ctx, mine)
		wantCode(t, err, kappa.CodeConflict, "Profile 'mine' already exists")
		wantCode(t, store.DeleteProfile(ctx, "mine"), kappa.CodeConflict, "")
		wantCode(t, store.DeleteProfile(ctx, "linear"), kappa.CodeForbidden, "Cannot delete builtin profiles")
		wantCode(t, store.DeleteProfile(ctx, "no such"), kappa.CodeNotFound, "Profile not found: no such")
		if got, err := store.VocabularySettings(ctx); err != nil || got.Profile != "mine" || got.Max != 80 {
			t.Errorf("%+v, err %v", got, err)
		}
	})
	t.Run("each is recorded with who did it", func(t *testing.T) {
		_, err := store.ChangeVocabularySettings(ctx, func(v *vocabulary.Settings) error { v.Profile = "linear"; return nil })
		must(t, err)
		must(t, store.DeleteProfile(ctx, "mine"))
		entries, err := s.Audit().Entries(ctx, access.AuditFilter{Limit: 10})
		must(t, err)
		var acts []string
		for _, e := range entries {
			acts = append(acts, e.Action)
		}
		if want := []string{"profile.delete", "settings.update", "settings.update", "profile.create"}; !slices.Equal(acts, want) {
			t.Errorf("recorded %q, want %q", acts, want)
		}
	})
}

func TestAddType(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	store, ctx := s.Vocabulary(), asActor(t)
	must(t, store.AddType(ctx, vocabulary.NewType{Name: "HELD_IN", Description: new("Is held in"), By: "admin"}))
	wantCode(t, store.AddType(ctx, vocabulary.NewType{Name: "HELD_IN", By: "eve"}), kappa.CodeConflict, "Relationship type 'HELD_IN' already exists")
	wantCode(t, store.AddType(ctx, vocabulary.NewType{Name: "CAUSES", By: "eve"}), kappa.CodeConflict, "")
	types, _, err := store.VocabularyTypes(ctx, false)
	must(t, err)
	for _, v := range types {
		if v.Name == "HELD_IN" {
			if v.Category != vocabulary.CategoryGenerated || v.Builtin || !v.Active || *v.Description != "Is held in" || *v.AddedBy != "admin" {
				t.Errorf("got %+v", v)
			}
			return
		}
	}
	t.Error("the type is not listed")
}
