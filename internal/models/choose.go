package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa"
)

// profiles keeps the models that were chosen.
type profiles interface {
	Profiles(ctx context.Context, slot kappa.ModelSlot) ([]kappa.ModelProfile, error)
	// AddProfile stores a model, and with one that is active a change to its provider.
	AddProfile(ctx context.Context, p kappa.ModelProfile, c kappa.ProviderChange) (kappa.ModelProfile, error)
	ActivateProfile(ctx context.Context, slot kappa.ModelSlot, id, dimensions int) (was int, p kappa.ModelProfile, err error)
	ProtectProfile(ctx context.Context, slot kappa.ModelSlot, id int, deletion, change *bool) (kappa.ModelProfile, error)
	DeleteProfile(ctx context.Context, slot kappa.ModelSlot, id int) error
	ClearSlot(ctx context.Context, slot kappa.ModelSlot) error
}

// Graph is what a change of the model that embeds is about.
type Graph struct {
	// Space returns with which model the graph is embedded.
	Space func(ctx context.Context) (kappa.EmbeddingSpace, error)
	// Reembed submits the job that embeds it anew, and returns its id.
	Reembed func(ctx context.Context) (jobID string, err error)
}

// Choose tries a model and has every server use it, or only stores it when it is not to be
// active. Nothing is stored unless the model answers. It returns a CodeConflict Error for
// what the environment of this server fixes, and for one that embeds while the graph is
// embedded with another one, unless c says to embed it anew.
func (s *Service) Choose(ctx context.Context, c kappa.ModelChoice) (kappa.ChosenModel, error) {
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
		return kappa.ChosenModel{}, err
	}
	if err := s.checkFixed(is, c); err != nil {
		return kappa.ChosenModel{}, err
	}
	if c.Model == "" && is.Fixed["model"] != "" {
		c.Model = is.Model
	}
	c.Model = cmp.Or(c.Model, s.cfg.Rules.Default(c.Slot, c.Provider))
	if !c.Active {
		p, err := s.cfg.Profiles.AddProfile(ctx, c.ModelProfile, kappa.ProviderChange{})
		return kappa.ChosenModel{Profile: p}, err
	}
	if err := s.checkProviderOf(c); err != nil {
		return kappa.ChosenModel{}, err
	}
	reembed, err := s.needsReembed(ctx, c.Slot, c.Provider, c.Model, c.Reembed)
	if err != nil {
		return kappa.ChosenModel{}, err
	}
	if c.MaxTokens == 0 && c.Provider == is.Provider {
		c.MaxTokens = is.MaxTokens
	}
	if c.Dimensions, err = s.tried(ctx, c); err != nil {
		return kappa.ChosenModel{}, err
	}
	p, err := s.cfg.Profiles.AddProfile(ctx, c.ModelProfile, kappa.ProviderChange{URL: c.URL, Calls: c.Calls})
	if err := s.changed(ctx, err); err != nil {
		return kappa.ChosenModel{}, err
	}
	out := kappa.ChosenModel{Profile: p, Previous: is.ConfigID}
	if reembed {
		out.JobID, err = s.cfg.Graph.Reembed(ctx)
	}
	return out, err
}

// checkFixed returns an error when a choice changes what the environment says.
func (s *Service) checkFixed(is kappa.SlotInUse, c kappa.ModelChoice) error {
	if setting := is.Fixed["provider"]; setting != "" && c.Provider != is.Provider {
		return kappa.FixedBy("the provider of "+string(c.Slot), setting)
	}
	if setting := is.Fixed["model"]; setting != "" && c.Model != "" && c.Model != is.Model {
		return kappa.FixedBy("the model of "+string(c.Slot), setting)
	}
	return nil
}

// checkProviderOf returns what is wrong with how the provider of a choice is to be reached.
func (s *Service) checkProviderOf(c kappa.ModelChoice) error {
	if c.URL == nil && c.Calls == nil {
		return nil
	}
	return s.checkProviderChange(c.Provider, kappa.ProviderChange{URL: c.URL, Calls: c.Calls})
}

// needsReembed reports whether a model that embeds has the graph embedded anew, and returns
// an error when nobody has said that it may be.
func (s *Service) needsReembed(ctx context.Context, slot kappa.ModelSlot, provider, model string, may bool) (bool, error) {
	if slot != kappa.SlotEmbedding {
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
func (s *Service) tried(ctx context.Context, c kappa.ModelChoice) (dimensions int, err error) {
	t := kappa.ModelTrial{Slot: c.Slot, Provider: c.Provider, Model: c.Model}
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
func (s *Service) Profiles(ctx context.Context, slot kappa.ModelSlot) ([]kappa.ModelProfile, error) {
	return s.cfg.Profiles.Profiles(ctx, slot)
}

// Profile returns a stored model, or a CodeNotFound Error.
func (s *Service) Profile(ctx context.Context, slot kappa.ModelSlot, id int) (kappa.ModelProfile, error) {
	list, err := s.cfg.Profiles.Profiles(ctx, slot)
	for _, p := range list {
		if p.ID == id {
			return p, nil
		}
	}
	if err == nil {
		err = kappa.NewError(kappa.CodeNotFound, fmt.Sprintf("There is no model %d for %s", id, slot))
	}
	return kappa.ModelProfile{}, err
}

// Activate tries a stored model and has every server use it, as Choose does.
func (s *Service) Activate(ctx context.Context, slot kappa.ModelSlot, id int, reembed bool) (kappa.ChosenModel, error) {
	p, err := s.Profile(ctx, slot, id)
	if err != nil {
		return kappa.ChosenModel{}, err
	}
	c := kappa.ModelChoice{ModelProfile: p}
	if slices.Contains(s.cfg.Rules.BuiltIn, c.Provider) {
		c.Model = ""
	}
	if err := s.checkFixed(s.InUse().Slots[slot], c); err != nil {
		return kappa.ChosenModel{}, err
	}
	reembed, err = s.needsReembed(ctx, slot, p.Provider, p.Model, reembed)
	if err != nil {
		return kappa.ChosenModel{}, err
	}
	dimensions, err := s.tried(ctx, c)
	if err != nil {
		return kappa.ChosenModel{}, err
	}
	was, p, err := s.cfg.Profiles.ActivateProfile(ctx, slot, id, dimensions)
	if err := s.changed(ctx, err); err != nil {
		return kappa.ChosenModel{}, err
	}
	out := kappa.ChosenModel{Profile: p, Previous: was}
	if reembed {
		out.JobID, err = s.cfg.Graph.Reembed(ctx)
	}
	return out, err
}

// Protect sets what a stored model is protected against; nil leaves it as it is.
func (s *Service) Protect(ctx context.Context, slot kappa.ModelSlot, id int, deletion, change *bool) (kappa.ModelProfile, error) {
	return s.cfg.Profiles.ProtectProfile(ctx, slot, id, deletion, change)
}

// DeleteProfile deletes a stored model that is neither active nor protected.
func (s *Service) DeleteProfile(ctx context.Context, slot kappa.ModelSlot, id int) error {
	return s.cfg.Profiles.DeleteProfile(ctx, slot, id)
}

// Reset has every server use for a slot what its environment says, or the default.
func (s *Service) Reset(ctx context.Context, slot kappa.ModelSlot, reembed bool) (jobID string, err error) {
	begin := s.cfg.Begin.With(kappa.StoredModels{})
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
