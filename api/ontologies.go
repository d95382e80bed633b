package api

import (
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// OntologyList are the ontologies of a server.
type OntologyList struct {
	Count      int                   `json:"count"`
	Ontologies []ontologies.Ontology `json:"ontologies"`
}

// OntologyFiles are the documents of an ontology.
type OntologyFiles struct {
	Ontology string            `json:"ontology"`
	Count    int               `json:"count" doc:"How many there are in all"`
	Files    []ontologies.File `json:"files"`
	Next     *string           `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// Lifecycle is the change of the state of an ontology.
type Lifecycle struct {
	Ontology string `json:"ontology"`
	Previous string `json:"previous_state"`
	New      string `json:"new_state"`
	Success  bool   `json:"success" doc:"Always true"`
}

// KeptVersions is the change of how many earlier versions an ontology keeps.
type KeptVersions struct {
	Ontology  string `json:"ontology"`
	Previous  int    `json:"previous_keep_versions"`
	Keep      int    `json:"keep_versions"`
	Forgotten int    `json:"versions_forgotten" doc:"That there were beyond"`
}

// Renamed is the change of the name of an ontology.
type Renamed struct {
	OldName string  `json:"old_name"`
	NewName string  `json:"new_name"`
	Sources int     `json:"sources_updated"`
	Success bool    `json:"success" doc:"Always true"`
	Error   *string `json:"error" doc:"Always null"`
}

// TombstoneList are the names that stay blocked.
type TombstoneList struct {
	Tombstones []ontologies.Tombstone `json:"tombstones"`
	Count      int                    `json:"count"`
}

// Flushed are names that were blocked.
type Flushed struct {
	Flushed int      `json:"flushed"`
	Names   []string `json:"names"`
}

// ScoreList are the scores of ontologies.
type ScoreList struct {
	Count  int               `json:"count"`
	Epoch  int64             `json:"global_epoch" doc:"Of the graph; scores of an earlier one may have changed since"`
	Scores []curation.Scores `json:"scores" doc:"The best protected first"`
}

// CandidateList are the concepts of an ontology with the most relationships.
type CandidateList struct {
	Ontology string                   `json:"ontology"`
	Count    int                      `json:"count"`
	Concepts []curation.ConceptDegree `json:"concepts" doc:"Those with the most relationships within it first"`
}

// AffinityList are the ontologies that share concepts with one.
type AffinityList struct {
	Ontology   string              `json:"ontology"`
	Count      int                 `json:"count"`
	Affinities []curation.Affinity `json:"affinities" doc:"The ontologies that share the most first"`
}

// OntologyEdges are the relationships between an ontology and others.
type OntologyEdges struct {
	Ontology string          `json:"ontology"`
	Count    int             `json:"count"`
	Edges    []curation.Edge `json:"edges" doc:"As of the last annealing"`
}

// ProposalList are proposals to change ontologies.
type ProposalList struct {
	Proposals []curation.Proposal `json:"proposals"`
	Count     int                 `json:"count"`
}

// Reassigned is what was moved from an ontology to another one.
type Reassigned struct {
	From       string  `json:"from_ontology"`
	To         string  `json:"to_ontology"`
	Sources    int     `json:"sources_reassigned"`
	Success    bool    `json:"success" doc:"Always true"`
	Error      *string `json:"error" doc:"Always null"`
	ProposalID int     `json:"proposal_id" doc:"What undoes it; 0 for a dry run"`
	DryRun     bool    `json:"dry_run"`
}

// Dissolved is an ontology whose chunks were moved to others.
type Dissolved struct {
	Ontology   string   `json:"dissolved_ontology"`
	Sources    int      `json:"sources_reassigned"`
	Deleted    bool     `json:"ontology_node_deleted"`
	Targets    []string `json:"reassignment_targets"`
	Success    bool     `json:"success" doc:"Always true"`
	Error      *string  `json:"error" doc:"Always null"`
	ProposalID int      `json:"proposal_id" doc:"What undoes it; 0 for a dry run"`
	DryRun     bool     `json:"dry_run"`
}
