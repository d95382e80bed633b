package schedule

import (
	"context"

	"github.com/kappagraph/kappa/work"
)

// PassageConditions returns the condition passages_unembedded: that there are passages without an
// embedding by the model that embeds them. Their count is 0 where none does.
func PassageConditions(count func(ctx context.Context) (int, error)) map[string]Condition {
	return map[string]Condition{
		"passages_unembedded": func(ctx context.Context, _ work.Schedule) (bool, string, error) {
			n, err := count(ctx)
			return n > 0, "every passage has an embedding, or no model that embeds passages is configured", err
		},
	}
}
