package postgres

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// edgeTally is how many relationships there are of each type, by how sure they are.
type edgeTally map[int32][]sureEdges

// sureEdges is how many relationships of a type are at least so sure. They stand in order,
// the surest first.
type sureEdges struct {
	confidence float32
	edges      int
}

// edgeTallyRow is a row of the statements that count relationships: those that are sure to
// one degree.
type edgeTallyRow interface {
	~struct {
		Type       int32
		Confidence float32
		Edges      int64
	}
}

func toEdgeTally[R edgeTallyRow](rows []R) edgeTally {
	t := edgeTally{}
	for _, row := range rows {
		r := db.GraphTallyEdgesRow(row)
		t[r.Type] = append(t[r.Type], sureEdges{confidence: r.Confidence, edges: int(r.Edges)})
	}
	for _, list := range t {
		slices.SortFunc(list, func(a, b sureEdges) int { return cmp.Compare(b.confidence, a.confidence) })
		for i := range list[1:] {
			list[i+1].edges += list[i].edges
		}
	}
	return t
}

// count returns how many relationships of a type, or of all for 0, are at least so sure.
func (t edgeTally) count(kind int32, least float32) (n int) {
	if kind != 0 {
		return countSure(t[kind], least)
	}
	for _, list := range t {
		n += countSure(list, least)
	}
	return n
}

func countSure(list []sureEdges, least float32) int {
	enough := sort.Search(len(list), func(i int) bool { return list[i].confidence < least })
	if enough == 0 {
		return 0
	}
	return list[enough-1].edges
}
