package graph

import (
	"io"
	nethttp "net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// exportPause is how long a reader of an export may take none of it.
const exportPause = 30 * time.Second

// completeHeader says whether an export holds all that was asked for.
const completeHeader = "Kappa-Complete"

const defaultExportHops = 2

func documentExport(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	list := &huma.Schema{Type: huma.TypeArray, Items: text}
	number := &huma.Schema{Type: huma.TypeInteger}
	op.Parameters = []*huma.Param{
		{Name: "format", In: "query", Description: "json (the default), graphml, gexf, dot, turtle, nquads, csv, which is a zip archive of nodes.csv, edges.csv and about.json, or parquet, which is one of concepts.parquet, relationships.parquet, evidence.parquet, documents.parquet and about.json", Schema: text},
		{Name: "table", In: "query", Description: "With format=parquet one table alone, as a Parquet file and not in an archive: concepts, relationships, evidence or documents", Schema: text},
		{Name: "concept_id", In: "query", Description: "What is around this concept; may be given up to 100 times", Schema: list, Explode: new(true)},
		{Name: "max_hops", In: "query", Description: "How far from the nearest of them, 1 to 5; 2 by default", Schema: number},
		{Name: "ontology", In: "query", Description: "The concepts that this ontology shows, and the relationships that were read in it; not together with concept_id", Schema: text},
		{Name: "relationship_type", In: "query", Description: "Only relationships of this type; may be given up to 100 times", Schema: list, Explode: new(true)},
		{Name: "include_evidence", In: "query", Description: "true: with the sentences that state each relationship, up to three of each; not in gexf and dot, and always in parquet, all of them", Schema: &huma.Schema{Type: huma.TypeBoolean}},
		{Name: "limit", In: "query", Description: "Concepts at most, 1 to 50000: the nearest, or without concept_id those with the most relationships. By default 1000 around concepts, and otherwise all", Schema: number},
	}
	http.Respond(op, "200", questions.ExportJSON.MediaType(), "The graph", &huma.Schema{})
	for _, format := range questions.ExportFormats() {
		op.Responses["200"].Content[format.MediaType()] = &huma.MediaType{Schema: &huma.Schema{}}
	}
	table := questions.ExportQuery{Format: questions.ExportParquet, Table: questions.TableConcepts}
	op.Responses["200"].Content[table.MediaType()] = &huma.MediaType{Schema: &huma.Schema{}}
}

// export answers GET /graph/export.
func (a *API) export(c *gin.Context) error {
	q, err := exportQuery(c.Request.URL.Query())
	if err != nil {
		return err
	}
	if err := http.Narrow(c.Request.Context(), access.GraphRead, &q.Ontology); err != nil {
		return err
	}
	if err := q.Validate(); err != nil { // an ontology and concepts do not go together
		return err
	}
	begun := false
	err = a.cfg.Explorer.Export(c.Request.Context(), q, func(about questions.Completeness) io.Writer {
		begun = true
		http.AnswerBegins(c.Request.Context())
		c.Header("Content-Type", q.MediaType())
		c.Header("Content-Disposition", `attachment; filename="`+q.FileName()+`"`)
		c.Header(completeHeader, strconv.FormatBool(about.Complete))
		return pausingWriter{c.Writer, nethttp.NewResponseController(c.Writer)}
	})
	if err != nil && begun {
		panic(nethttp.ErrAbortHandler) // cut, so that it does not look whole
	}
	return err
}

// exportQuery reads the parameters.
func exportQuery(values url.Values) (questions.ExportQuery, error) {
	q := questions.ExportQuery{
		Format: questions.ExportJSON, Seeds: values["concept_id"], MaxHops: defaultExportHops,
		Ontology: values.Get("ontology"), Types: values["relationship_type"],
		Table: questions.GraphTable(strings.ToLower(values.Get("table"))),
	}
	if format := values.Get("format"); format != "" {
		q.Format = questions.ExportFormat(strings.ToLower(format))
	}
	var broken []kappa.FieldError
	if values.Has("include_evidence") {
		var err error
		if q.IncludeEvidence, err = strconv.ParseBool(values.Get("include_evidence")); err != nil {
			broken = append(broken, kappa.FieldError{In: "query", Name: "include_evidence", Rule: "must be true or false"})
		}
	}
	for _, p := range []struct {
		name string
		to   *int
	}{{"max_hops", &q.MaxHops}, {"limit", &q.Limit}} {
		if !values.Has(p.name) {
			continue
		}
		n, err := strconv.Atoi(values.Get(p.name))
		switch {
		case err != nil:
			broken = append(broken, kappa.FieldError{In: "query", Name: p.name, Rule: "must be a whole number"})
		case p.name == "limit" && n == 0:
			broken = append(broken, kappa.FieldError{In: "query", Name: p.name, Rule: "must be at least 1, got 0"})
		default:
			*p.to = n
		}
	}
	return q, kappa.JoinInvalid(kappa.Invalid(broken...), q.Validate())
}

// pausingWriter writes an answer whose reader may pause, but not for long.
type pausingWriter struct {
	io.Writer
	conn *nethttp.ResponseController
}

func (w pausingWriter) Write(p []byte) (int, error) {
	_ = w.conn.SetWriteDeadline(time.Now().Add(exportPause)) // as far as supported
	return w.Writer.Write(p)
}
