package postgres

import "context"

// ConceptNumbers returns the numbers of concepts by their ids. An id that no concept
// has is left out.
func (s *GraphSnapshot) ConceptNumbers(ctx context.Context, conceptIDs []string) (map[string]int, error) {
	rows, err := s.q.ConceptNumbers(ctx, orEmpty(conceptIDs))
	if err != nil {
		return nil, translate(err, "find concepts")
	}
	numbers := make(map[string]int, len(rows))
	for _, r := range rows {
		numbers[r.ConceptID] = int(r.ID)
	}
	return numbers, nil
}

// ConceptDegrees returns how many relationships each of the concepts has, in both
// directions. It leaves those out that have no embedding of the model.
func (s *GraphSnapshot) ConceptDegrees(ctx context.Context, model string, ids []int) (map[int]int, error) {
	rows, err := s.q.ConceptDegrees(ctx, toInt32s(ids), model)
	if err != nil {
		return nil, translate(err, "count the relationships of concepts")
	}
	degrees := make(map[int]int, len(rows))
	for _, r := range rows {
		degrees[int(r.Concept)] = int(r.Degree)
	}
	return degrees, nil
}
