package schedule

import (
	"encoding/json"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// MaintenanceSchedules returns the schedules that a server makes by itself, once.
func MaintenanceSchedules() []work.NewSchedule {
	return []work.NewSchedule{
		{Name: "category refresh", JobType: vocabulary.TypeRefresh, Cron: "0 */6 * * *", Condition: "types_unsorted"},
		{Name: "vocabulary consolidation", JobType: vocabulary.TypeConsolidate, Cron: "0 */12 * * *", Condition: "vocabulary_large"},
		{Name: "epistemic re-measurement", JobType: vocabulary.TypeRemeasurement, Cron: "5 * * * *", Condition: "vocabulary_changed"},
		{Name: "vocabulary embedding", JobType: vocabulary.TypeEmbedding, Cron: "10 * * * *", Condition: "types_unembedded"},
		{Name: "projection refresh", JobType: projection.TypeProjection, Cron: "15 * * * *", Condition: "concepts_changed", Data: json.RawMessage(`{"only_looked_at": true}`)},
		{Name: "source embedding", JobType: corpus.TypeSourceEmbedding, Cron: "25 * * * *", Condition: "sources_unembedded"},
		{Name: "passage embedding", JobType: corpus.TypePassageEmbedding, Cron: "*/5 * * * *", Condition: "passages_unembedded"},
		{Name: "ontology annealing", JobType: curation.TypeAnnealing, Cron: "30 */6 * * *", Condition: "ontologies_changed"},
		{Name: "artifact cleanup", JobType: artifacts.TypeCleanup, Cron: "0 2 * * *"},
	}
}
