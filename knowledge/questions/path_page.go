package questions

import "github.com/kappagraph/kappa/internal/check"

// The bounds of a page of paths.
const (
	MaxPathLimit  = 50
	MaxPathOffset = 200
)

// PathPage selects some of the paths between two concepts, in their order: the shortest first,
// and of those that are equally long the ones that say most. The zero value is the first five.
type PathPage struct {
	Limit  int // 1 to 50; 0 = five
	Offset int // paths before the page, 0 to 200
}

// Size is how many paths the page has at most.
func (p PathPage) Size() int {
	if p.Limit == 0 {
		return MaxPaths
	}
	return p.Limit
}

func (p PathPage) check(r *check.Rules) {
	r.Add("body", "limit", check.Range(p.Size(), 1, MaxPathLimit))
	r.Add("body", "offset", check.Range(p.Offset, 0, MaxPathOffset))
}

// ShownPaths says which of the paths an answer shows. The order is that of one epoch; pages of
// different epochs may overlap.
type ShownPaths struct {
	Offset int  `json:"offset"`
	Limit  int  `json:"limit"`
	More   bool `json:"has_more"` // there are paths behind this page
}
