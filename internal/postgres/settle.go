package postgres

import (
	"context"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// edgeRow is a row of a statement that says which relationship it is about.
type edgeRow interface {
	~struct {
		Src  int32
		Dst  int32
		Type int32
	}
}

// settle gives relationships, of which evidence was taken, the confidence of the best that
// they have left. Those that have none go.
func settle[R edgeRow](ctx context.Context, q *db.Queries, taken []R) error {
	if len(taken) == 0 {
		return nil
	}
	var srcs, dsts, types []int32
	for _, r := range taken {
		e := db.EvidenceTakeRow(r)
		srcs, dsts, types = append(srcs, e.Src), append(dsts, e.Dst), append(types, e.Type)
	}
	return q.EdgesSettle(ctx, srcs, dsts, types)
}

// takeEvidence removes what chunks show of relationships.
func takeEvidence(ctx context.Context, q *db.Queries, sources []int32) error {
	taken, err := q.EvidenceTake(ctx, sources)
	if err != nil {
		return err
	}
	return settle(ctx, q, taken)
}
