package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// programInput is a program with one statement, which is that of newest. What stands in it is
// not described: every other program is one that is not built, and no bad request.
type programInput struct {
	Body struct {
		Program json.RawMessage `json:"program,omitempty" doc:"{version: 1, statements: [{op: +, operation: {type: cypher, query: MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL [AND c.ontology = '…'] RETURN c ORDER BY c.created_at_epoch DESC [LIMIT n], limit: 1 to 500, default 50}}]}"`
		ID      json.RawMessage `json:"program_id,omitempty" doc:"Of a stored program; not built"`
		Deck    json.RawMessage `json:"deck,omitempty" doc:"Several programs; not built"`
		Params  json.RawMessage `json:"params,omitempty" doc:"Of a stored program; not built"`
	}
}

type program struct {
	Statements []struct {
		Op        string
		Operation struct {
			Type, Query string
			Limit       *int
		}
	}
}

// newest is the one statement that is known. Its ontology is a literal in which \ stands
// before a quote and before itself.
var newest = regexp.MustCompile(`(?is)^\s*MATCH\s*\(\s*c\s*:\s*Concept\s*\)\s*WHERE\s+c\.created_at_epoch\s+IS\s+NOT\s+NULL` +
	`(?:\s+AND\s+c\.ontology\s*=\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"))?` +
	`\s+RETURN\s+c\s+ORDER\s+BY\s+c\.created_at_epoch\s+DESC(?:\s+LIMIT\s+(\d{1,9}))?\s*;?\s*$`)

const defaultNewest = 50

// programAnswer is the graph that a program has built: here concepts without
// relationships.
type programAnswer struct {
	Result  programGraph  `json:"result"`
	Log     []programStep `json:"log"`
	Aborted *string       `json:"aborted" doc:"Always null"`
}

type programGraph struct {
	Nodes []programNode `json:"nodes" doc:"The newest first"`
	Links []programLink `json:"links" doc:"Always empty"`
}

type programNode struct {
	ConceptID   string            `json:"concept_id"`
	Label       string            `json:"label"`
	Ontology    *string           `json:"ontology"`
	Description *string           `json:"description"`
	Properties  programProperties `json:"properties"`
}

type programProperties struct {
	CreatedAtEpoch int64      `json:"created_at_epoch" doc:"When the concept was made, in seconds since 1970"`
	CreatedAt      kappa.Time `json:"created_at"`
	CreationMethod string     `json:"creation_method"`
	SearchTerms    []string   `json:"search_terms"`
}

type programLink struct {
	FromID string `json:"from_id"`
	ToID   string `json:"to_id"`
	Type   string `json:"relationship_type"`
}

type programStep struct {
	Statement     int         `json:"statement"`
	Op            string      `json:"op"`
	OperationType string      `json:"operation_type"`
	Branch        *string     `json:"branch_taken" doc:"Always null"`
	Nodes         int         `json:"nodes_affected"`
	Links         int         `json:"links_affected"`
	Size          programSize `json:"w_size"`
	DurationMS    float64     `json:"duration_ms"`
}

type programSize struct {
	Nodes int `json:"nodes"`
	Links int `json:"links"`
}

// execute answers the one program that is known. Any other is CodeNotImplemented.
func (a *API) execute(ctx context.Context, in *programInput) (programAnswer, error) {
	ontology, limit, err := readProgram(in.Body.Program)
	if err != nil {
		return programAnswer{}, err
	}
	started := time.Now()
	concepts, err := a.cfg.Tree.NewestConcepts(ctx, ontology, limit)
	if err != nil {
		return programAnswer{}, err
	}
	out := programAnswer{Result: programGraph{Nodes: make([]programNode, len(concepts)), Links: []programLink{}}}
	for i, c := range concepts {
		out.Result.Nodes[i] = programNode{
			ConceptID: c.ConceptID, Label: c.Label, Ontology: orNull(c.Ontology), Description: orNull(c.Description),
			Properties: programProperties{CreatedAtEpoch: c.CreatedAt.Unix(), CreatedAt: c.CreatedAt, CreationMethod: c.CreationMethod, SearchTerms: c.SearchTerms},
		}
	}
	out.Log = []programStep{{
		Op: "+", OperationType: "cypher", Nodes: len(concepts), Size: programSize{Nodes: len(concepts)},
		DurationMS: float64(time.Since(started).Microseconds()) / 1000,
	}}
	return out, nil
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// readProgram returns of which ontology a program wants the newest concepts, "" for all,
// and how many.
func readProgram(text json.RawMessage) (ontology string, limit int, err error) {
	var p program
	if json.Unmarshal(text, &p) != nil || len(p.Statements) != 1 || p.Statements[0].Op != "+" || !strings.EqualFold(p.Statements[0].Operation.Type, "cypher") {
		return "", 0, errOtherProgram
	}
	operation := p.Statements[0].Operation
	found := newest.FindStringSubmatch(operation.Query)
	if found == nil {
		return "", 0, errOtherProgram
	}
	limit = defaultNewest
	if found[3] != "" {
		limit, _ = strconv.Atoi(found[3]) // at most nine digits
	}
	if operation.Limit != nil {
		limit = *operation.Limit
	}
	if limit < 1 || limit > kappa.MaxNewestConcepts {
		return "", 0, kappa.Invalid(kappa.FieldError{In: "body", Name: "limit", Rule: fmt.Sprintf("must be 1 to %d, got %d", kappa.MaxNewestConcepts, limit)})
	}
	ontology = unescape.Replace(found[1] + found[2])
	return ontology, limit, kappa.CatalogQuery{Ontology: ontology, Sort: kappa.CatalogByName, Limit: 1}.Validate()
}

var unescape = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)

var errOtherProgram = kappa.NewError(kappa.CodeNotImplemented,
	"Only one program is known: MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL RETURN c ORDER BY c.created_at_epoch DESC")
