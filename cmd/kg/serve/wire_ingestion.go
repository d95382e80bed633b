package serve

import "github.com/kappagraph/kappa/internal/ingest"

// submitter takes documents in.
func (s *server) submitter() *ingest.Submitter {
	u := ingest.NewSubmitter(s.db.Ingestions(), s.readers, s.analyst.Wake)
	u.DescribeImagesBy(func() ingest.Describer { return s.models.now().describer })
	u.LimitWaiting(s.settings.Reading.MostWaiting)
	u.DefaultBudget(s.settings.Models.budget())
	return u
}
