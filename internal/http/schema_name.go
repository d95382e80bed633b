package http

import (
	"path"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// schemaNames are the names of types in the API whose own say less, because their package
// says it before them. Clients are generated with these names: they stay.
var schemaNames = map[string]string{
	"api.ArtifactPayload":      "ArtifactWithPayload",
	"api.CleanupReply":         "CleanupAnswer",
	"api.ConceptMentions":      "ConceptMentionsAnswer",
	"api.ConceptMerges":        "ConceptMergesAnswer",
	"api.CreatedAPIKey":        "KeyCreated",
	"api.CreatedEdge":          "EdgeCreated",
	"api.Credentials":          "ClientCreated",
	"api.Dissolved":            "DissolveAnswer",
	"api.EpistemicStatuses":    "StatusList",
	"api.GraphCheckList":       "CheckList",
	"api.GraphCounters":        "CountersAnswer",
	"api.JobReply":             "DecisionAnswer",
	"api.Lifecycle":            "LifecycleAnswer",
	"api.Measured":             "MeasureReport",
	"api.MergeReport":          "MergeTypesReport",
	"api.ModelSet":             "ModelSlotAnswer",
	"api.NameBlocks":           "ConceptBlocksAnswer",
	"api.NamesakeList":         "NamesakesAnswer",
	"api.OAuthClientList":      "ClientList",
	"api.OntologyEdges":        "OntologyEdgeList",
	"api.OntologyFiles":        "FileList",
	"api.PermissionsHeld":      "HeldAnswer",
	"api.PriorityReply":        "PriorityAnswer",
	"api.Program":              "KeptProgram",
	"api.ProjectionAlgorithms": "AlgorithmList",
	"api.ProjectionReply":      "Regenerated",
	"api.ProposalList":         "OntologyProposalList",
	"api.ProviderChecks":       "CheckAnswer",
	"api.ProviderList":         "ListAnswer",
	"api.Pruned":               "PruneAnswer",
	"api.Reassigned":           "ReassignAnswer",
	"api.RemovedProjections":   "ProjectionsRemoved",
	"api.Renamed":              "RenameAnswer",
	"api.Restored":             "RestoreAnswer",
	"api.ReviewList":           "VocabularyReviewList",
	"api.RotatedKeys":          "RotatedKeysAnswer",
	"api.RotatedSecret":        "SecretRotated",
	"api.RunLog":               "LogAnswer",
	"api.SavedQueryAnswer":     "RunAnswer",
	"api.SavedQueryList":       "QueryList",
	"api.ScoreList":            "OntologyScoreList",
	"api.SearchThresholdSet":   "ThresholdAnswer",
	"api.SimilarTypes":         "SimilarList",
	"api.TypeMerges":           "VocabularyMergeList",
	"api.Undone":               "UndoAnswer",
	"curation.Affinity":        "OntologyAffinity",
	"curation.Edge":            "OntologyEdge",
	"curation.Proposal":        "OntologyProposal",
	"curation.Scores":          "OntologyScores",
	"datasets.Column":          "DatasetColumn",
	"datasets.Error":           "DatasetError",
	"datasets.Job":             "DatasetJob",
	"datasets.Query":           "DatasetQuery",
	"datasets.Rows":            "DatasetRows",
	"datasets.Schema":          "DatasetSchema",
	"datasets.Status":          "DatasetStatus",
	"datasets.Validity":        "DatasetValidity",
	"models.InUse":             "ModelsInUse",
	"models.Price":             "ModelPrice",
	"models.Profile":           "ModelProfile",
	"models.Slot":              "ModelSlot",
	"ontologies.Details":       "OntologyDetails",
	"ontologies.File":          "OntologyFile",
	"ontologies.Node":          "OntologyNode",
	"ontologies.Removed":       "RemovedOntology",
	"ontologies.Statistics":    "OntologyStatistics",
	"ontologies.Tombstone":     "OntologyTombstone",
	"programs.Abort":           "ProgramAbort",
	"programs.Chain":           "ProgramChain",
	"programs.Entry":           "ProgramEntry",
	"programs.Graph":           "ProgramGraph",
	"programs.Issue":           "ProgramIssue",
	"programs.Link":            "ProgramLink",
	"programs.Node":            "ProgramNode",
	"programs.Report":          "ProgramReport",
	"programs.Result":          "ProgramResult",
	"programs.Size":            "ProgramSize",
	"programs.Step":            "ProgramStep",
	"storage.KindUse":          "StorageKindUse",
	"storage.References":       "StorageReferences",
	"storage.Retention":        "StorageRetention",
	"storage.Size":             "StorageSize",
	"storage.Table":            "StorageTable",
	"storage.Use":              "StorageUse",
	"vocabulary.Merge":         "VocabularyMerge",
	"vocabulary.Profile":       "VocabularyProfile",
	"vocabulary.Review":        "VocabularyReview",
	"vocabulary.Settings":      "VocabularySettings",
	"vocabulary.Status":        "VocabularyStatus",
	"vocabulary.Type":          "VocabularyType",
}

// schemaName names the schema of a type: as the type, or as schemaNames says. That of a list
// begins with List, and that of a generic type has the names of its parameters in it. A type
// without a name is called by the hint.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := hint
	if t.Name() != "" {
		name = t.PkgPath() + "." + t.Name()
	}
	var b strings.Builder
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(name, "[]", "List["), func(r rune) bool { return strings.ContainsRune("[]*,", r) }) {
		part = path.Base(part)
		if known := schemaNames[part]; known != "" {
			b.WriteString(known)
			continue
		}
		part = part[strings.LastIndex(part, ".")+1:]
		first, size := utf8.DecodeRuneInString(part)
		b.WriteString(string(unicode.ToUpper(first)) + part[size:])
	}
	return b.String()
}
