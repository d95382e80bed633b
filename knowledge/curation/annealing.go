package curation

import (
	"fmt"
	"math"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// The job types that keep ontologies in shape.
const (
	TypeAnnealing         = "ontology_annealing"
	TypeProposalExecution = "proposal_execution"
)

// Measures count what an ontology holds, and how it stands to the rest of the graph.
type Measures struct {
	ID        int    `json:"-"`
	Name      string `json:"ontology"`
	Lifecycle string `json:"lifecycle_state"`
	Created   int64  `json:"-"` // the graph's epoch then
	Files     int    `json:"file_count"`
	Sources   int    `json:"source_count"`
	Concepts  int    `json:"concept_count"`
	Evidence  int    `json:"evidence_count"`
	Internal  int    `json:"internal_relationship_count"`       // between two of its concepts
	Crossing  int    `json:"cross_ontology_relationship_count"` // with one end outside
}

// Scores say how well an ontology stands by itself.
type Scores struct {
	Measures
	// Mass is how much it holds, 0 to 1: x/(x+1) with x the concepts / 50, the quotes / 100
	// and the relationships within it / 100, added.
	Mass float64 `json:"mass_score"`
	// Coherence is how alike its concepts are, 0 to 1: the mean cosine of the embeddings of
	// pairs, among up to 1,000 of them; 0 with fewer than two.
	Coherence float64 `json:"coherence_score"`
	// RawExposure is how much the graph has changed since it was made, 0 to 1: x/(x+20)
	// with x the epochs since then.
	RawExposure float64 `json:"raw_exposure"`
	// WeightedExposure is that share of it that was near: times the greatest affinity.
	WeightedExposure float64 `json:"weighted_exposure"`
	// Protection is what speaks for leaving it as it is, -0.5 to 1: half of the mass, once
	// more as far as it is coherent, less half of the weighted exposure.
	Protection float64 `json:"protection_score"`
	Epoch      int64   `json:"last_evaluated_epoch"`
}

// massUnits are what each kind counts for.
const (
	massConcepts, massEvidence, massEdges = 50, 100, 100
	exposureHalf                          = 20 // epochs until the exposure is a half
)

// NewScores scores an ontology as of an epoch. The vectors are of its concepts;
// affinity is the greatest one to another ontology.
func NewScores(m Measures, vectors []models.Embedding, affinity float64, epoch int64) Scores {
	x := float64(m.Concepts)/massConcepts + float64(m.Evidence)/massEvidence + float64(m.Internal)/massEdges
	age := float64(max(0, epoch-m.Created))
	s := Scores{Measures: m, Mass: round4(x / (x + 1)), Coherence: round4(coherence(vectors)), RawExposure: round4(age / (age + exposureHalf)), Epoch: epoch}
	s.WeightedExposure = round4(s.RawExposure * affinity)
	s.Protection = round4(s.Mass*(0.5+0.5*s.Coherence) - 0.5*s.WeightedExposure)
	return s
}

// coherence is the mean cosine of pairs of vectors, 0 to 1: the square of the length of
// their sum has each pair twice.
func coherence(vectors []models.Embedding) float64 {
	n := 0
	var sum []float64
	for _, v := range vectors {
		var length float64
		for _, x := range v {
			length += float64(x) * float64(x)
		}
		if length == 0 || sum != nil && len(v) != len(sum) {
			continue
		}
		if sum == nil {
			sum = make([]float64, len(v))
		}
		for i, x := range v {
			sum[i] += float64(x) / math.Sqrt(length)
		}
		n++
	}
	if n < 2 {
		return 0
	}
	var square float64
	for _, x := range sum {
		square += x * x
	}
	return min(1, max(0, (square-float64(n))/float64(n*(n-1))))
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Affinity is how much of an ontology another one holds as well.
type Affinity struct {
	Ontology   int     `json:"-"`
	Other      int     `json:"-"`
	OtherName  string  `json:"other_ontology"`
	Shared     int     `json:"shared_concept_count"`
	Concepts   int     `json:"total_concepts"` // of the ontology
	OfOther    int     `json:"-"`              // concepts of the other one
	Similarity float64 `json:"affinity_score"` // shared / total, 0 to 1
}

// The kinds of edges between ontologies.
const (
	EdgeOverlaps    = "OVERLAPS"
	EdgeSpecializes = "SPECIALIZES"
)

// Edge is how two ontologies overlap, as seen from one of them.
type Edge struct {
	From      string  `json:"from_ontology"`
	To        string  `json:"to_ontology"`
	Kind      string  `json:"edge_type"` // OVERLAPS or SPECIALIZES
	Score     float64 `json:"score"`     // the share of the smaller one's concepts that both have
	Shared    int     `json:"shared_concept_count"`
	Epoch     int64   `json:"computed_at_epoch"`
	Source    string  `json:"source"`    // always annealing
	Direction string  `json:"direction"` // outgoing or incoming
}

// NewEdge is an edge that is to be stored.
type NewEdge struct {
	Source, Target int // numbers of ontologies
	Kind           string
	Score          float64
	Shared         int
}

// leastOverlap is what two ontologies share at least for an edge between them, and
// specialized how much of an ontology is in another one that it specializes.
const (
	leastOverlap = 0.1
	specialized  = 0.6
)

// Edges returns an edge for every two ontologies that overlap.
func Edges(affinities []Affinity) []NewEdge {
	var list []NewEdge
	for _, a := range affinities {
		// Of the two affinities of a pair, that of the smaller ontology counts.
		if a.Concepts > a.OfOther || a.Concepts == a.OfOther && a.Ontology > a.Other || a.Similarity < leastOverlap {
			continue
		}
		e := NewEdge{Source: a.Ontology, Target: a.Other, Kind: EdgeOverlaps, Score: a.Similarity, Shared: a.Shared}
		if a.Similarity >= specialized && float64(a.Shared) < specialized*float64(a.OfOther) {
			e.Kind = EdgeSpecializes
		}
		list = append(list, e)
	}
	return list
}

// ConceptDegree is a concept with its relationships within an ontology.
type ConceptDegree struct {
	ID         int     `json:"-"`
	ConceptID  string  `json:"concept_id"`
	Label      string  `json:"label"`
	Degree     int     `json:"degree"`
	In         int     `json:"in_degree"`
	Out        int     `json:"out_degree"`
	Centrality float64 `json:"degree_centrality"` // neighbours / the other concepts, 0 to 1
}

// Annealing says how ontologies are scored, and what is proposed.
type Annealing struct {
	DemotionThreshold   float64 `json:"demotion_threshold"`   // of the protection: below it an ontology is to go
	MergeThreshold      float64 `json:"merge_threshold"`      // of the affinity: from it on an ontology is to become part of the other one
	PromotionMinDegree  int     `json:"promotion_min_degree"` // of the concept that an ontology is to be made of
	PromotionCentrality float64 `json:"promotion_centrality"`
	MaxProposals        int     `json:"max_proposals"`
	DryRun              bool    `json:"dry_run"`   // store nothing
	Automatic           bool    `json:"automatic"` // execute what is proposed without a person
}

// NewAnnealing returns the defaults.
func NewAnnealing() Annealing {
	return Annealing{DemotionThreshold: 0.15, MergeThreshold: 0.6, PromotionMinDegree: 10, PromotionCentrality: 0.1, MaxProposals: 5}
}

// Validate reports every rule that a breaks; prefix is what is before the names.
func (a Annealing) Validate(prefix string) error {
	var r check.Rules
	r.Add("body", prefix+"demotion_threshold", check.Between(a.DemotionThreshold, 0, 1))
	r.Add("body", prefix+"merge_threshold", check.Between(a.MergeThreshold, 0.1, 1))
	r.Add("body", prefix+"promotion_min_degree", check.Range(a.PromotionMinDegree, 1, 1_000_000))
	r.Add("body", prefix+"promotion_centrality", check.Between(a.PromotionCentrality, 0, 1))
	r.Add("body", prefix+"max_proposals", check.Range(a.MaxProposals, 0, 100))
	return r.Err()
}

// demotionReason, mergeReason and promotionReason say why, with the figures.
func demotionReason(s Scores, a Affinity, threshold float64) string {
	return fmt.Sprintf("It holds little and stands by itself no longer: protection %.2f is below %.2f (mass %.2f, coherence %.2f, exposure %.2f). %s shares the most with it: %d of its %d concepts.",
		s.Protection, threshold, s.Mass, s.Coherence, s.WeightedExposure, a.OtherName, a.Shared, a.Concepts)
}

func mergeReason(a Affinity, threshold float64) string {
	return fmt.Sprintf("%d of its %d concepts (%.0f %%, from %.0f %% on it is proposed) are in %s too.", a.Shared, a.Concepts, 100*a.Similarity, 100*threshold, a.OtherName)
}

func promotionReason(c ConceptDegree, documents, of int) string {
	return fmt.Sprintf("%s has %d relationships within it (centrality %.2f), and %d of its %d documents are about it.", c.Label, c.Degree, c.Centrality, documents, of)
}

// ProposeDemotion proposes that an ontology of little protection becomes part of the one
// that shares the most with it; it is not ok when it may stay, or there is none.
func (a Annealing) ProposeDemotion(s Scores, nearest *Affinity) (p Proposal, ok bool) {
	if s.Lifecycle != ontologies.LifecycleActive || s.Protection >= a.DemotionThreshold || nearest == nil || nearest.Similarity < leastOverlap {
		return p, false
	}
	p = s.proposal(ProposalDemotion, demotionReason(s, *nearest, a.DemotionThreshold))
	p.TargetID, p.Target = nearest.Other, &nearest.OtherName
	return p, true
}

// ProposeMerge proposes that an ontology becomes part of a larger one that holds most of
// it already.
func (a Annealing) ProposeMerge(s Scores, nearest *Affinity) (p Proposal, ok bool) {
	if s.Lifecycle != ontologies.LifecycleActive || nearest == nil || nearest.Similarity < a.MergeThreshold ||
		nearest.Concepts > nearest.OfOther || nearest.Concepts == nearest.OfOther && nearest.Ontology < nearest.Other {
		return p, false
	}
	p = s.proposal(ProposalMerge, mergeReason(*nearest, a.MergeThreshold))
	p.TargetID, p.Target = nearest.Other, &nearest.OtherName
	return p, true
}

// leastPromoted is how many documents a new ontology has at least.
const leastPromoted = 2

// ProposePromotion proposes that the documents about a concept become an ontology of their
// own: at least two, and at most half of those of the ontology.
func (a Annealing) ProposePromotion(s Scores, c ConceptDegree, documents int) (p Proposal, ok bool) {
	if s.Lifecycle != ontologies.LifecycleActive || c.Degree < a.PromotionMinDegree || c.Centrality < a.PromotionCentrality ||
		documents < leastPromoted || 2*documents > s.Files || ontologies.CheckName(c.Label) != "" {
		return p, false
	}
	p = s.proposal(ProposalPromotion, promotionReason(c, documents, s.Files))
	description := "Documents about " + c.Label + ", from " + s.Name
	p.Anchor, p.SuggestedName, p.SuggestedDescription = &c.ConceptID, &c.Label, &description
	return p, true
}

func (s Scores) proposal(kind, reason string) Proposal {
	mass, coherence, protection := s.Mass, s.Coherence, s.Protection
	return Proposal{
		Kind: kind, OntologyID: s.ID, Ontology: s.Name, Reasoning: reason, Status: ProposalPending,
		Mass: &mass, Coherence: &coherence, Protection: &protection, Epoch: s.Epoch,
	}
}
