package adjacency

import "context"

// Ends returns the other ends of the edges of some concepts, one for each edge of some
// types and in any order: at most most of them. It returns the error of ctx when that
// ends first.
func (v *View) Ends(ctx context.Context, concepts []int32, types TypeSet, most int) ([]int32, error) {
	s := v.borrow(types)
	defer v.scratch.Put(s)
	total := 0
	for _, c := range concepts {
		total += v.Degree(c)
	}
	ends := make([]int32, 0, min(total, most))
	followed := uint32(breath)
	for _, c := range concepts {
		p, begin, end := v.row(uint32(c))
		if followed += end - begin; followed >= breath {
			followed = 0
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for i := begin; i < end; i++ {
			if !s.allows(p, i, types) {
				continue
			}
			if len(ends) == most {
				return ends, nil
			}
			ends = append(ends, int32(p.far[i]))
		}
	}
	return ends, nil
}
