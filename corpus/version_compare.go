package corpus

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/internal/check"
)

// How much of each list a comparison shows.
const (
	DefaultCompared = 100
	MaxCompared     = 1000
)

// CompareQuery asks what has changed between two versions of a document.
type CompareQuery struct {
	Version int // the earlier one; 0 is the one before With
	With    int // 0 is the newest
	Limit   int // of each list, 1 to MaxCompared
}

// Validate reports every rule that q breaks.
func (q CompareQuery) Validate() error {
	var r check.Rules
	r.Add("query", "version", check.Range(q.Version, 0, check.MaxOffset))
	r.Add("query", "with", check.Range(q.With, 0, check.MaxOffset))
	r.Add("query", "limit", check.Range(q.Limit, 1, MaxCompared))
	return r.Err()
}

// Comparison says what has changed from a version of a document to another one.
type Comparison struct {
	Ontology      string                 `json:"ontology"`
	Version       Version                `json:"version"`
	With          Version                `json:"with"`
	Concepts      ConceptDifference      `json:"concepts"`
	Relationships RelationshipDifference `json:"relationships"`
	Passages      PassageDifference      `json:"passages"`
}

// ConceptDifference says which concepts only one of two versions shows.
type ConceptDifference struct {
	Gained      []VersionConcept `json:"gained" doc:"At most limit"`
	Lost        []VersionConcept `json:"lost" doc:"At most limit"`
	GainedTotal int              `json:"gained_total"`
	LostTotal   int              `json:"lost_total"`
	Kept        int              `json:"kept"`
}

// RelationshipDifference says which relationships only one of two versions states.
type RelationshipDifference struct {
	Gained      []VersionRelationship `json:"gained" doc:"At most limit"`
	Lost        []VersionRelationship `json:"lost" doc:"At most limit"`
	GainedTotal int                   `json:"gained_total"`
	LostTotal   int                   `json:"lost_total"`
	Kept        int                   `json:"kept"`
}

// PassageDifference says which passages have another text, in the order of the later version.
type PassageDifference struct {
	Changes []PassageChange `json:"changes" doc:"At most limit"`
	Total   int             `json:"total"`
	Kept    int             `json:"kept" doc:"Passages that both have"`
}

// PassageChange is a passage that has come, gone or changed.
type PassageChange struct {
	Before *VersionPassage `json:"before" doc:"null for a passage that was added"`
	After  *VersionPassage `json:"after" doc:"null for a passage that was removed"`
}

// Choose returns the versions that are asked for, the earlier one first; CodeNotFound when
// one is not kept, or there is none before.
func (v Versions) Choose(q CompareQuery) (before, after Version, err error) {
	if len(v.Versions) == 0 {
		_, err = v.Find(max(q.With, 1))
		return before, after, err
	}
	after = v.Versions[0]
	if q.With != 0 {
		if after, err = v.Find(q.With); err != nil {
			return before, after, err
		}
	}
	if q.Version != 0 {
		before, err = v.Find(q.Version)
		return before, after, err
	}
	for _, one := range v.Versions {
		if one.Version < after.Version {
			return one, after, nil
		}
	}
	_, err = v.Find(max(after.Version-1, 0))
	return before, after, err
}

// Compare says what has changed from before to after. A concept that has another id since, as after
// a merge, is known by its name.
func Compare(before, after VersionFacts, limit int) Comparison {
	same := sameIDs(before, after)
	var c Comparison
	concepts := func(x VersionConcept) string { return same.key(x.ConceptID, x.Label) }
	c.Concepts.Lost, c.Concepts.Gained, c.Concepts.Kept = difference(before.Concepts, after.Concepts, concepts)
	relationships := func(x VersionRelationship) string {
		return same.key(x.From, x.FromLabel) + "\x1f" + x.Type + "\x1f" + same.key(x.To, x.ToLabel)
	}
	c.Relationships.Lost, c.Relationships.Gained, c.Relationships.Kept = difference(before.Relationships, after.Relationships, relationships)
	byQuotes := func(x, y VersionConcept) int { return y.Quotes - x.Quotes }
	slices.SortStableFunc(c.Concepts.Gained, byQuotes)
	slices.SortStableFunc(c.Concepts.Lost, byQuotes)
	c.Concepts.GainedTotal, c.Concepts.LostTotal = len(c.Concepts.Gained), len(c.Concepts.Lost)
	c.Relationships.GainedTotal, c.Relationships.LostTotal = len(c.Relationships.Gained), len(c.Relationships.Lost)
	c.Concepts.Gained, c.Concepts.Lost = atMost(c.Concepts.Gained, limit), atMost(c.Concepts.Lost, limit)
	c.Relationships.Gained, c.Relationships.Lost = atMost(c.Relationships.Gained, limit), atMost(c.Relationships.Lost, limit)
	c.Passages = comparePassages(before.Passages, after.Passages)
	c.Passages.Changes = atMost(c.Passages.Changes, limit)
	return c
}

func atMost[T any](list []T, limit int) []T { return list[:min(len(list), limit)] }

// sharedIDs are the ids of concepts that two versions name.
type sharedIDs map[string]bool

func sameIDs(before, after VersionFacts) sharedIDs {
	first := map[string]bool{}
	for id := range idsOf(before) {
		first[id] = true
	}
	same := sharedIDs{}
	for id := range idsOf(after) {
		if first[id] {
			same[id] = true
		}
	}
	return same
}

func idsOf(f VersionFacts) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range f.Concepts {
			if !yield(c.ConceptID) {
				return
			}
		}
		for _, r := range f.Relationships {
			if !yield(r.From) || !yield(r.To) {
				return
			}
		}
	}
}

// key is what a concept is known by in both versions: its id, or else its name.
func (s sharedIDs) key(id, label string) string {
	if s[id] {
		return "id:" + id
	}
	return "name:" + strings.ToLower(strings.Join(strings.Fields(label), " "))
}

// difference returns what only before has, what only after has, and how many both have.
func difference[T any](before, after []T, key func(T) string) (lost, gained []T, kept int) {
	lost, gained = []T{}, []T{}
	has := func(list []T) map[string]bool {
		keys := make(map[string]bool, len(list))
		for _, x := range list {
			keys[key(x)] = true
		}
		return keys
	}
	old, current := has(before), has(after)
	for _, x := range before {
		if !current[key(x)] {
			lost = append(lost, x)
		}
	}
	for _, x := range after {
		if old[key(x)] {
			kept++
		} else {
			gained = append(gained, x)
		}
	}
	return lost, gained, kept
}

// comparePassages pairs the passages that only one version has: those that follow the same passage
// of both are the same one changed.
func comparePassages(before, after []VersionPassage) PassageDifference {
	d := PassageDifference{Changes: []PassageChange{}}
	left := map[string]int{} // how often each text stands in before
	for _, p := range before {
		left[p.Body]++
	}
	shared := map[string]int{} // of those how many stand in after too
	for _, p := range after {
		if shared[p.Body] < left[p.Body] {
			shared[p.Body]++
			d.Kept++
		}
	}
	gone := apart(before, shared)
	come := apart(after, shared)
	var anchors []string
	olds, news := map[string][]VersionPassage{}, map[string][]VersionPassage{}
	for _, h := range come {
		news[h.after], anchors = h.passages, append(anchors, h.after)
	}
	for _, h := range gone {
		olds[h.after] = h.passages
		if _, known := news[h.after]; !known {
			anchors = append(anchors, h.after)
		}
	}
	for _, anchor := range anchors {
		was, is := olds[anchor], news[anchor]
		for i := range max(len(was), len(is)) {
			var c PassageChange
			if i < len(was) {
				c.Before = &was[i]
			}
			if i < len(is) {
				c.After = &is[i]
			}
			d.Changes = append(d.Changes, c)
		}
	}
	d.Total = len(d.Changes)
	return d
}

// hunk is a run of passages that only one version has, after a passage that both have.
type hunk struct {
	after    string
	passages []VersionPassage
}

// apart returns the runs of passages that are not among those that both versions have.
func apart(list []VersionPassage, shared map[string]int) []hunk {
	used := map[string]int{}
	var hunks []hunk
	anchor, open := "", false
	for _, p := range list {
		if used[p.Body] < shared[p.Body] {
			used[p.Body]++
			anchor, open = p.Body+"\x1f"+strconv.Itoa(used[p.Body]), false
			continue
		}
		if !open {
			hunks, open = append(hunks, hunk{after: anchor}), true
		}
		last := &hunks[len(hunks)-1]
		last.passages = append(last.passages, p)
	}
	return hunks
}
