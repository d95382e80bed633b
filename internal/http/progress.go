package http

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// progress documents a work.Progress: the members that its JSON always has, and the
// three that it may have. A job type may add counters.
type progress struct {
	Stage           string `json:"stage"`
	Percent         int    `json:"percent" minimum:"0" maximum:"100" doc:"Rounded down; 100 only at the end"`
	ChunksTotal     int    `json:"chunks_total"`
	ChunksProcessed int    `json:"chunks_processed"`
	CurrentChunk    int    `json:"current_chunk" doc:"1-based; 0 before the first"`
	corpus.Counts
	ItemsTotal     int    `json:"items_total,omitempty"`
	ItemsProcessed int    `json:"items_processed,omitempty"`
	Message        string `json:"message,omitempty"`
}

// TransformSchema documents the counters that a job type adds: they are numbers.
func (progress) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.AdditionalProperties = &huma.Schema{Type: huma.TypeInteger, Description: "What else jobs of this type count"}
	return s
}

// newRegistry returns the registry of the document's schemas.
func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	r.RegisterTypeAlias(reflect.TypeFor[work.Progress](), reflect.TypeFor[progress]())
	return r
}
