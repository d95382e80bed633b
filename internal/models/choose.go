package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

// profiles keeps the models that were chosen.
type profiles interface {
	Profiles(ctx context.Context, slot models.Slot) ([]models.Profile, error)
	// AddProfile stores a model, and with one that is active a change to its provider.
	AddProfile(ctx context.Context, p models.Profile, c models.ProviderChange) (models.Profile, error)
	ActivateProfile(ctx context.Context, slot models.Slot, id, dimensions int) (was int, p models.Profile, err error)
	ProtectProfile(ctx context.Context, slot models.Slot, id int, deletion, change *bool) (models.Profile, error)
	DeleteProfile(ctx context.Context, slot models.Slot, id int) error
	ClearSlot(ctx context.Context, slot models.Slot) error
}

// Graph is what a change of the model that embeds is about.
type Graph struct {
	// Space returns with which model the graph is embedded.
	Space func(ctx context.Context) (models.EmbeddingSpace, error)
	// Reembed submits the job that embeds it anew, and returns its id.
	Reembed func(ctx context.Context) (jobID string, err error)
}

// Choose tries a model and has every server use it, or only stores it when it is not to be
// active. Nothing is stored unless the model answers. It returns a CodeConflict Error for
// what the environment of this server fixes, and for one that embeds while the graph is
// embedded with another one, unless c says to embed it anew.
func (s *Service) Choose(ctx context.Context, c models.Choice) (models.Chosen, error) {
	in := s.InUse()
	is := in.Slots[c.Slot]
	c.Provider = cmp.Or(c.Provider, is.Provider)
	if c.Model == "" && c.Provider == is.Provider && is.ConfigID != 0 {
		c.Model = is.Model
	}
	if slices.Contains(s.cfg.Rules.BuiltIn, c.Provider) && c.Model == is.Model {
		c.Model = ""
	}
	if err := s.cfg.Rules.checkChoice(c.Slot, c.Provider, c.Model, c.MaxTokens); err != nil {
		return models.Chosen{}, err
	}
	if err := s.checkFixed(is, c); err != nil {
		return models.Chosen{}, err
	}
	if c.Model == "" && is.Fixed["model"] != "" {
		c.Model = is.Model
	}
	c.Model = cmp.Or(c.Model, s.cfg.Rules.Default(c.Slot, c.Provider))
	if !c.Active {
		p, err := s.cfg.Profiles.AddProfile(ctx, c.Profile, models.ProviderChange{})
		return models.Chosen{Profile: p}, err
	}
	if err := s.checkProviderOf(c); err != nil {
		return models.Chosen{}, err
	}
	reembed, err := s.needsReembed(ctx, c.Slot, c.Provider, c.Model, c.Reembed)
	if err != nil {
		return models.Chosen{}, err
	}
	if c.MaxTokens == 0 && c.Provider == is.Provider {
		c.MaxTokens = is.MaxTokens
	}
	if c.Dimensions, err = s.tried(ctx, c); err != nil {
		return models.Chosen{}, err
	}
	p, err := s.cfg.Profiles.AddProfile(ctx, c.Profile, models.ProviderChange{URL: c.URL, Calls: c.Calls})
	if err := s.changed(ctx, err); err != nil {
		return models.Chosen{}, err
	}
	out := models.Chosen{Profile: p, Previous: is.ConfigID}
	if reembed {
		out.JobID, err = s.cfg.Graph.Reembed(ctx)
	}
	return out, err
}

// checkFixed returns an error when a choice changes what the environment says.
func (s *Service) checkFixed(is models.SlotInUse, c models.Choice) error {
	if setting := is.Fixed["provider"]; setting != "" && c.Provider != is.Provider {
		return models.FixedBy("the provider of "+string(c.Slot), setting)
	}
	if setting := is.Fixed["model"]; setting != "" && c.Model != "" && c.Model != is.Model {
		return models.FixedBy("the model of "+string(c.Slot), setting)
	}
	return nil
}

// checkProviderOf returns what is wrong with how the provider of a choice is to be reached.
func (s *Service) checkProviderOf(c models.Choice) error {
	if c.URL == nil && c.Calls == nil {
		return nil
	}
	return s.checkProviderChange(c.Provider, models.ProviderChange{URL: c.URL, Calls: c.Calls})
}

// needsReembed reports whether a model that embeds has the graph embedded anew, and returns
// an error when nobody has said that it may be.
func (s *Service) needsReembed(ctx context.Context, slot models.Slot, provider, model string, may bool) (bool, error) {
	if slot != models.SlotEmbedding {
		return false, nil
	}
	space, err := s.cfg.Graph.Space(ctx)
	if err != nil || space.GraphDimensions == 0 { // nothing is embedded yet
		return false, err
	}
	name := s.cfg.Trials.EmbeddingName(provider, model)
	switch {
	case name == space.GraphModel && !space.Reembedding:
		return false, nil
	case !may:
		return false, kappa.NewError(kappa.CodeConflict, fmt.Sprintf(
			"the graph is embedded with %s: with %s documents wait, and searches find by names alone, until a job has embedded every concept anew; to have that done say reembed (activate: force)", space.GraphModel, name))
	}
	return true, nil
}

// tried tries a choice, and returns the dimensions of what it embeds.
func (s *Service) tried(ctx context.Context, c models.Choice) (dimensions int, err error) {
	t := models.Trial{Slot: c.Slot, Provider: c.Provider, Model: c.Model}
	if c.URL != nil {
		t.URL = *c.URL
	}
	if err := s.try(ctx, t, &dimensions); err != nil {
		return 0, err
	}
	if c.Dimensions != 0 && dimensions != 0 && c.Dimensions != dimensions {
		return 0, kappa.NewError(kappa.CodeConflict, fmt.Sprintf("%s/%s gives embeddings of %d numbers, and %d were to be expected; nothing was changed", c.Provider, c.Model, dimensions, c.Dimensions))
	}
	return cmp.Or(dimensions, c.Dimensions), nil
}

// Profiles returns every stored model of a slot.
func (s *Service) Profiles(ctx context.Context, slot models.Slot) ([]models.Profile, error) {
	return s.cfg.Profiles.Profiles(ctx, slot)
}

// Profile returns a stored model, or a CodeNotFound Error.
func (s *Service) Profile(ctx context.Context, slot models.Slot, id int) (models.Profile, error) {
	list, err := s.cfg.Profiles.Profiles(ctx, slot)
	for _, p := range list {
		if p.ID == id {
			return p, nil
		}
	}
	if err == nil {
		err = kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("There is no model %d for %s", id, slot))
	}
	return models.Profile{}, err
}

// Activate tries a stored model and has every server use it, as Choose does.
func (s *Service) Activate(ctx context.Context, slot models.Slot, id int, reembed bool) (models.Chosen, error) {
	p, err := s.Profile(ctx, slot, id)
	if err != nil {
		return models.Chosen{}, err
	}
	c := models.Choice{Profile: p}
	if slices.Contains(s.cfg.Rules.BuiltIn, c.Provider) {
		c.Model = ""
	}
	if err := s.checkFixed(s.InUse().Slots[slot], c); err != nil {
		return models.Chosen{}, err
	}
	reembed, err = s.needsReembed(ctx, slot, p.Provider, p.Model, reembed)
	if err != nil {
		return models.Chosen{}, err
	}
	dimensions, err := s.tried(ctx, c)
	if err != nil {
		return models.Chosen{}, err
	}
	was, p, err := s.cfg.Profiles.ActivateProfile(ctx, slot, id, dimensions)
	if err := s.changed(ctx, err); err != nil {
		return models.Chosen{}, err
	}
	out := models.Chosen{Profile: p, Previous: was}
	if reembed {
		out.JobID, err = s.cfg.Graph.Reembed(ctx)
	}
	return out, err
}

// Protect sets what a stored model is protected against; nil leaves it as it is.
func (s *Service) Protect(ctx context.Context, slot models.Slot, id int, deletion, change *bool) (models.Profile, error) {
	return s.cfg.Profiles.ProtectProfile(ctx, slot, id, deletion, change)
}

// DeleteProfile deletes a stored model that is neither active nor protected.
func (s *Service) DeleteProfile(ctx context.Context, slot models.Slot, id int) error {
	return s.cfg.Profiles.DeleteProfile(ctx, slot, id)
}

// Reset has every server use for a slot what its environment says, or the default.
func (s *Service) Reset(ctx context.Context, slot models.Slot, reembed bool) (jobID string, err error) {
	begin := s.cfg.Begin.With(models.Stored{})
	s.resolve(&begin)
	is := begin.Slots[slot]
	again, err := s.needsReembed(ctx, slot, is.Provider, is.Model, reembed)
	if err != nil {
		return "", err
	}
	if err := s.changed(ctx, s.cfg.Profiles.ClearSlot(ctx, slot)); err != nil {
		return "", err
	}
	if again {
		return s.cfg.Graph.Reembed(ctx)
	}
	return "", nil
}
