package client

import "github.com/kappagraph/kappa/knowledge/questions"

// measureFields asks for measures as the API does.
type measureFields struct {
	IncludeGrounding *bool `json:"include_grounding,omitempty"`
	IncludeDiversity bool  `json:"include_diversity,omitempty"`
	DiversityMaxHops *int  `json:"diversity_max_hops,omitempty"`
}

func asFields(m questions.Measures) measureFields {
	f := measureFields{IncludeDiversity: m.Diversity, DiversityMaxHops: m.DiversityHops}
	if m.NoGrounding {
		f.IncludeGrounding = new(false)
	}
	return f
}

// filterFields filters relationships as the API does.
type filterFields struct {
	Include []string `json:"include_epistemic_status,omitempty"`
	Exclude []string `json:"exclude_epistemic_status,omitempty"`

	IncludeWeak bool `json:"include_weak,omitempty"`
}

// evidenceField asks for the sentences that state relationships, as the API does.
type evidenceField struct {
	IncludeEvidence bool `json:"include_evidence,omitempty"`
}

// pageFields select a part of an answer. Zero leaves it to the server.
type pageFields struct {
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// statisticsField asks for what was read of the graph.
type statisticsField struct {
	IncludeStatistics bool `json:"include_statistics,omitempty"`
}
