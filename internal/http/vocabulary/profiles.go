package vocabulary

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// profiles are the curves that the settings may name.
type profiles interface {
	Profiles(ctx context.Context) ([]vocabulary.KnownProfile, error)
	CreateProfile(ctx context.Context, n vocabulary.NewProfile) (vocabulary.KnownProfile, error)
	DeleteProfile(ctx context.Context, name string) error
}

const profilePath = "/admin/vocabulary/profiles"

func (a *API) registerProfiles(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: profilePath, Permission: access.VocabularyRead, ID: "vocabulary.profiles", Summary: "List the curves of eagerness"}, a.listProfiles)
	http.Register(r, http.Route{Method: "POST", Path: profilePath, Permission: access.VocabularyWrite, ID: "vocabulary.create-profile", Summary: "Make a curve of eagerness", Status: 201, Submits: true}, a.createProfile)
	http.Register(r, http.Route{Method: "GET", Path: profilePath + "/{profile}", Permission: access.VocabularyRead, ID: "vocabulary.profile", Summary: "Show a curve of eagerness"}, a.profile)
	http.Register(r, http.Route{Method: "DELETE", Path: profilePath + "/{profile}", Permission: access.VocabularyWrite, ID: "vocabulary.delete-profile", Summary: "Delete a curve of one's own"}, a.deleteProfile)
}

type profileInput struct {
	Profile string `path:"profile" doc:"The name of a profile"`
}

type vocabularyProfileAnswer struct {
	Name        string     `json:"profile_name"`
	X1          float64    `json:"control_x1"`
	Y1          float64    `json:"control_y1"`
	X2          float64    `json:"control_x2"`
	Y2          float64    `json:"control_y2"`
	Description string     `json:"description"`
	Builtin     bool       `json:"is_builtin"`
	CreatedAt   kappa.Time `json:"created_at"`
	UpdatedAt   kappa.Time `json:"updated_at" doc:"The same as created_at: a curve is never changed"`
}

func showProfile(p vocabulary.KnownProfile) vocabularyProfileAnswer {
	return vocabularyProfileAnswer{p.Name, p.X1, p.Y1, p.X2, p.Y2, p.Description, p.Builtin, p.CreatedAt, p.CreatedAt}
}

type vocabularyProfileList struct {
	Total    int                       `json:"total"`
	Builtin  int                       `json:"builtin"`
	Custom   int                       `json:"custom"`
	Profiles []vocabularyProfileAnswer `json:"profiles"`
}

func (a *API) listProfiles(ctx context.Context, _ *struct{}) (vocabularyProfileList, error) {
	known, err := a.cfg.Profiles.Profiles(ctx)
	list := vocabularyProfileList{Total: len(known), Profiles: []vocabularyProfileAnswer{}}
	for _, p := range known {
		if p.Builtin {
			list.Builtin++
		} else {
			list.Custom++
		}
		list.Profiles = append(list.Profiles, showProfile(p))
	}
	return list, err
}

func (a *API) profile(ctx context.Context, in *profileInput) (vocabularyProfileAnswer, error) {
	known, err := a.cfg.Profiles.Profiles(ctx)
	if err != nil {
		return vocabularyProfileAnswer{}, err
	}
	for _, p := range known {
		if p.Name == in.Profile {
			return showProfile(p), nil
		}
	}
	return vocabularyProfileAnswer{}, errNoProfile(in.Profile)
}

func errNoProfile(name string) error {
	return kappa.NewError(kappa.CodeNotFound, "Profile not found: "+http.Printable(name))
}

type newProfileInput struct{ Body newProfileRequest }

type newProfileRequest struct {
	_           struct{} `additionalProperties:"false"`
	Name        string   `json:"profile_name" doc:"1 to 50 characters"`
	X1          float64  `json:"control_x1" doc:"0 to 1"`
	Y1          float64  `json:"control_y1" doc:"-2 to 2"`
	X2          float64  `json:"control_x2" doc:"0 to 1"`
	Y2          float64  `json:"control_y2" doc:"-2 to 2"`
	Description string   `json:"description,omitempty" doc:"At most 500 characters"`
}

func (a *API) createProfile(ctx context.Context, in *newProfileInput) (vocabularyProfileAnswer, error) {
	b := in.Body
	n := vocabulary.NewProfile{Profile: vocabulary.Profile{Name: b.Name, X1: b.X1, Y1: b.Y1, X2: b.X2, Y2: b.Y2}, Description: b.Description}
	if err := n.Validate(); err != nil {
		return vocabularyProfileAnswer{}, err
	}
	p, err := a.cfg.Profiles.CreateProfile(ctx, n)
	return showProfile(p), err
}

type deletedProfileReport struct {
	Success bool   `json:"success"`
	Name    string `json:"profile_name"`
	Message string `json:"message"`
}

func (a *API) deleteProfile(ctx context.Context, in *profileInput) (deletedProfileReport, error) {
	if !http.Storable(in.Profile) {
		return deletedProfileReport{}, errNoProfile(in.Profile)
	}
	return deletedProfileReport{true, in.Profile, "Deleted profile " + in.Profile}, a.cfg.Profiles.DeleteProfile(ctx, in.Profile)
}
