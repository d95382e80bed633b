package questions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// The bounds of a question.
const (
	MaxQuestion     = 2000 // characters
	MaxAskPassages  = 20
	MaxAskOffset    = 200
	DefaultPassages = 5
	MaxAskNames     = 100 // ontologies, documents, kinds and languages, each
	MaxThread       = 20  // questions before
)

// What a question asks for.
const (
	FormPassage    = "passage" // any passage that answers
	FormDefinition = "definition"
	FormComparison = "comparison"
	FormRelation   = "relation"
	FormList       = "list"
)

// Question asks for the passages of documents that answer it.
type Question struct {
	Text   string
	Limit  int // passages, 1 to MaxAskPassages
	Offset int // passages to leave out before them, up to MaxAskOffset
	AskFilter

	Thread          []string // the questions before, the last one last: "and when was it built?" carries on their subject
	Exact           bool     // words are meant as they are written: none is taken for a slip
	IncludeEvidence bool     // sentences that state the relationships
	Explain         bool     // what each feature gives a passage
	Plain           bool     // call no reranker, which may cost something
	OfferOnly       bool     // when a model is to answer: only say what that would cost at most
	AsOf            string   // answer from what stood then; see corpus.ParseAsOf
}

// AskFilter says which passages may be shown. Each list that is empty allows all.
type AskFilter struct {
	Ontologies  []string
	DocumentIDs []string
	Kinds       []string  // content types, or what they are called in short: pdf, markdown
	Languages   []string  // ISO 639-1
	Classes     []string  // corpus.PassageClass: prose, table, code
	Since       time.Time // of the documents that were ingested since then; zero is any time
}

// Validate returns a kappa.CodeInvalid Error that names every broken rule.
func (q Question) Validate() error {
	var r check.Rules
	r.Add("body", "question", check.Phrase(q.Text, MaxQuestion))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxAskPassages))
	r.Add("body", "offset", check.Range(q.Offset, 0, MaxAskOffset))
	q.AskFilter.check(&r)
	if _, err := corpus.ParseAsOf(q.AsOf); err != nil {
		r.Add("body", "as_of", "must be an instant in RFC 3339 (2026-01-31T08:00:00Z) or the number of an epoch")
	}
	r.Add("body", "thread", check.Range(len(q.Thread), 0, MaxThread))
	for _, t := range q.Thread {
		r.Add("body", "thread", check.Phrase(t, MaxQuestion))
	}
	return r.Err()
}

func (f AskFilter) check(r *check.Rules) {
	r.Add("body", "ontologies", checkNames(f.Ontologies, kappa.MaxOntologyName))
	r.Add("body", "document_ids", checkNames(f.DocumentIDs, MaxQuestion))
	r.Add("body", "kinds", checkKinds(f.Kinds))
	r.Add("body", "languages", checkNames(f.Languages, maxLanguage))
	r.Add("body", "classes", checkClasses(f.Classes))
}

// maxLanguage is how long the name of a language may be.
const maxLanguage = 7

func checkNames(names []string, longest int) string {
	if len(names) > MaxAskNames {
		return check.Range(len(names), 0, MaxAskNames)
	}
	for _, n := range names {
		if rule := check.Name(n, longest); rule != "" {
			return rule
		}
	}
	return ""
}

func checkKinds(kinds []string) string {
	for _, k := range kinds {
		if len(corpus.KindTypes(k)) == 0 {
			return "must be kinds of documents: " + strings.Join(corpus.Kinds(), ", ") + ", or content types"
		}
	}
	return checkNames(kinds, MaxQuestion)
}

func checkClasses(classes []string) string {
	for _, c := range classes {
		if !slices.Contains(corpus.PassageClasses(), corpus.PassageClass(c)) {
			all := make([]string, len(corpus.PassageClasses()))
			for i, known := range corpus.PassageClasses() {
				all[i] = string(known)
			}
			return "must be classes of passages: " + strings.Join(all, ", ")
		}
	}
	return checkNames(classes, MaxQuestion)
}

// AskPassage is a part of a document that may answer a question.
type AskPassage struct {
	Text         string   `json:"text"`
	Document     string   `json:"document"` // the ontology's name
	Filename     string   `json:"filename"`
	Name         string   `json:"name"` // the end of the file's path, as short as tells the documents of the answer apart
	DocumentID   string   `json:"document_id"`
	SourceID     string   `json:"source_id"`
	Paragraph    int      `json:"paragraph"` // the chunk's number
	Page         *int     `json:"page"`      // from 1; null without pages
	Section      *string  `json:"section"`   // the path of headings; null without any
	Class        string   `json:"class"`     // what it is by how it is written: prose, list, table, code …
	Language     string   `json:"language"`  // ISO 639-1; "" when it is not clear
	Link         string   `json:"link"`      // the document at that place, below the address of the API
	Score        float64  `json:"score"`     // answers, and never more than that of the passage before
	Answers      float64  `json:"answers"`   // how likely it answers, 0 to 1
	Nearest      bool     `json:"nearest"`   // it is shown as the nearest, and probably does not answer
	Words        int      `json:"words_found"`
	WordsAsked   int      `json:"words_asked"`             // words of the question that name something
	MissingWords []string `json:"missing_words"`           // those of them that the passage lacks
	AlsoIn       []string `json:"also_in"`                 // documents that have nearly the same passage
	Columns      []string `json:"columns" nullable:"true"` // names of the columns, when the text is rows of a table; else null
	corpus.Span           // in bytes of the document
	StartChar    int      `json:"start_char"` // the same in characters
	EndChar      int      `json:"end_char"`

	Sentence *AskPart           `json:"sentence"`           // the one that answers; null in what is not written in sentences
	Exact    *AskExact          `json:"exact"`              // what the question asks for within it; null unless it asks for a name, date, number or place that is there
	Features map[string]float64 `json:"features,omitempty"` // what each feature gives it; only when it is asked for
}

// AskPart is a part of a passage.
type AskPart struct {
	Text        string `json:"text"`
	corpus.Span        // in bytes of the document
}

// AskExact is the part of a passage that a question asks for.
type AskExact struct {
	AskPart
	Kind string `json:"kind"` // name, date, number, place …
}

// AskConcept is a concept that a question means.
type AskConcept struct {
	ConceptID   string  `json:"concept_id"`
	Label       string  `json:"label"`
	Description *string `json:"description"`
	Score       float64 `json:"score"` // 1 when the question names it, less when it has some words of the name
}

// AskRelationship connects two concepts of an answer.
type AskRelationship struct {
	FromID     string  `json:"from_id"`
	FromLabel  string  `json:"from_label"`
	Type       string  `json:"relationship_type"`
	ToID       string  `json:"to_id"`
	ToLabel    string  `json:"to_label"`
	Confidence float64 `json:"confidence"`

	Evidence []knowledge.EdgeEvidence `json:"evidence" nullable:"true"` // the surest sentences that state it; null unless asked for
}

// AskMended is a word of a question that stands in no document, and the one that it was
// taken for.
type AskMended struct {
	Written string `json:"written"`
	TakenAs string `json:"taken_as"`
}

// AskAnswer is what the documents say to a question: the best passages first, and the
// concepts and relationships that connect them.
type AskAnswer struct {
	Question     string       `json:"question"`
	Asked        string       `json:"asked"`         // the question as it was looked for: with the subjects that it carries on, and without slips
	Form         string       `json:"form"`          // what it asks for: definition, comparison, list, relation, or passage
	Found        bool         `json:"found"`         // the first passage probably answers
	Nearest      bool         `json:"nearest"`       // passages are shown as the nearest, and probably do not answer
	Answers      float64      `json:"answers"`       // how likely the documents answer, 0 to 1
	Absent       []string     `json:"absent"`        // words of the question that stand in no document, and name no concept that one shows
	MissingWords []string     `json:"missing_words"` // words and names of the question that no passage shown here has
	Mended       []AskMended  `json:"mended"`
	Subjects     []string     `json:"subjects"` // that were carried over from the questions before
	Passages     []AskPassage `json:"passages"`
	More         bool         `json:"has_more"` // there are passages behind these

	Concepts       []AskConcept       `json:"concepts"`
	Relationships  []AskRelationship  `json:"relationships"`
	Contradictions []AskContradiction `json:"contradictions"`
	Paths          []Path             `json:"paths"`   // between the two concepts whose relation is asked for, with the sentences of each step, the shortest first
	Listing        *AskListing        `json:"listing"` // the whole list or table that the first passage is a part of, when all of a kind is asked for; else null

	Meaning   *AskMeaning   `json:"meaning,omitempty"`   // absent without a model that embeds passages
	Reranking *AskReranking `json:"reranking,omitempty"` // absent without a reranker

	AsOf  *kappa.Time                 `json:"as_of,omitempty"` // the moment at which the passages stood, when one was asked for: then nothing of the graph is shown
	Epoch int64                       `json:"epoch"`           // of the graph that was read
	Index knowledge.PassageIndexState `json:"index"`
}

// AskListing is a list or table of a document as a whole, in its order.
type AskListing struct {
	DocumentID string    `json:"document_id"`
	Filename   string    `json:"filename"`
	Section    *string   `json:"section"`
	Class      string    `json:"class"` // list or table
	Columns    []string  `json:"columns"`
	Rows       []AskPart `json:"rows"`
	Truncated  bool      `json:"truncated"` // it has more rows
	Link       string    `json:"link"`
	corpus.Span
	StartChar int `json:"start_char"`
	EndChar   int `json:"end_char"`
}

// AskContradiction is two passages of an answer, by their numbers from 1, that say another
// number or date of the same thing. The newer document comes first.
type AskContradiction struct {
	Passages [2]int    `json:"passages"`
	Texts    [2]string `json:"texts"` // what each says
}

// Remarks are what is to be said before the passages of an answer, for people and agents: what
// was carried over and mended, what no document says, and whether the passages are an answer.
func (a AskAnswer) Remarks() []string {
	var all []string
	if a.AsOf != nil {
		all = append(all, "What stood at "+a.AsOf.String()+".")
	}
	if len(a.Subjects) > 0 {
		all = append(all, "Carried over from the questions before: "+list(a.Subjects)+".")
	}
	for _, m := range a.Mended {
		all = append(all, "“"+m.Written+"” stands in no document; “"+m.TakenAs+"” was looked for.")
	}
	if len(a.Absent) > 0 {
		all = append(all, "The documents say nothing of "+list(a.Absent)+".")
	}
	if a.Nearest {
		all = append(all, "The nearest passages, but probably not an answer.")
	}
	for _, c := range a.Contradictions {
		all = append(all, fmt.Sprintf("Passages %d and %d contradict each other: “%s”, and “%s”.", c.Passages[0], c.Passages[1], c.Texts[0], c.Texts[1]))
	}
	if a.Meaning != nil && !a.Meaning.Used {
		all = append(all, "By the words alone: "+a.Meaning.Reason+".")
	}
	if a.Reranking != nil && !a.Reranking.Reranked {
		all = append(all, "In the order of this server, without the reranker: "+a.Reranking.Reason+".")
	}
	if !a.Index.Ready && a.Index.Of > 0 {
		all = append(all, fmt.Sprintf("The index is loading: this is from %d of %d passages.", a.Index.Passages, a.Index.Of))
	}
	return all
}

// list is “a”, “b” and “c”.
func list(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "“" + w + "”"
	}
	if last := len(quoted) - 1; last > 0 {
		return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
	}
	return quoted[0]
}
