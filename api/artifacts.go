package api

import (
	"encoding/json"

	"github.com/kappagraph/kappa/artifacts"
)

// ArtifactPayload is an artifact with its payload.
type ArtifactPayload struct {
	artifacts.Artifact
	Payload json.RawMessage `json:"payload"`
}

// ArtifactList is a page of artifacts and how many there are.
type ArtifactList struct {
	Artifacts []artifacts.Artifact `json:"artifacts"`
	Total     int                  `json:"total" doc:"How many there are in all"`
	Limit     int                  `json:"limit"`
	Offset    int                  `json:"offset"`
	Next      *string              `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}
