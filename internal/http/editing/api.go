// Package editing is the part of the HTTP API by which people and agents write concepts
// and relationships into the graph by hand.
package editing

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// editor writes into the graph. Unknown concepts and relationships are CodeNotFound, a
// frozen ontology is CodeForbidden.
type editor interface {
	Write(ctx context.Context, n knowledge.Note) (knowledge.WrittenNote, error)
	Concept(ctx context.Context, id string) (knowledge.WrittenConcept, error)
	EditConcept(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error)
	RemoveConcept(ctx context.Context, id string, dry bool) (knowledge.RemovedConcept, error)
	EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error)
	RemoveEdge(ctx context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error)
}

// Config is what an API needs.
type Config struct{ Editor editor }

// API writes into the graph.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// defaultOntology takes what is written about concepts that are in none.
const defaultOntology = "notes"

// methodOfAgents is the creation_method that says that an agent made a concept.
const methodOfAgents = "mcp"

// Origin is what every request says of itself. It is exported because the description of
// a body leaves embedded types out that are not.
type Origin struct {
	Ontology   string `json:"ontology,omitempty" doc:"Where it is kept; default: that of the concept"`
	Provenance string `json:"provenance,omitempty" doc:"human (the default) or agent"`
}

type newConceptInput struct {
	Body struct {
		knowledge.NewConcept
		Ontology   string `json:"ontology" doc:"Where it is kept; made when it is new"`
		Provenance string `json:"provenance,omitempty" doc:"human (the default) or agent"`
		Method     string `json:"creation_method,omitempty" doc:"How a client came to make it; mcp stands for the provenance agent when that is left out, and nothing else counts"`
	}
}

type conceptInput struct {
	ID string `path:"id" doc:"The id of a concept"`
}

type conceptDeletion struct {
	ID      string    `path:"id" doc:"The id of a concept"`
	DryRun  http.Flag `query:"dry_run" doc:"Delete nothing, and say what would go"`
	Cascade http.Flag `query:"cascade" doc:"Only false: the note that showed it is a document, and stays until it is deleted"`
}

type conceptEditInput struct {
	ID   string `path:"id" doc:"The id of a concept"`
	Body struct {
		_ struct{} `additionalProperties:"false"`
		knowledge.ConceptEdit
	}
}

type evidenceInput struct {
	ID   string `path:"id" doc:"The id of a concept"`
	Body struct {
		Origin
		Text string `json:"text" doc:"What shows the concept, 1 to 10000 characters"`
	}
}

type newEdgeInput struct {
	Body struct {
		knowledge.NewEdge
		Origin
		Source string `json:"source,omitempty" doc:"How a client came to make it; taken and not kept"`
	}
}

type edgeInput struct {
	From string `path:"from" doc:"The id of the concept that the relationship points away from"`
	Type string `path:"type" doc:"A relationship type"`
	To   string `path:"to" doc:"The id of the concept that it points to"`
}

type edgeDeletion struct {
	From   string    `path:"from" doc:"The id of the concept that the relationship points away from"`
	Type   string    `path:"type" doc:"A relationship type"`
	To     string    `path:"to" doc:"The id of the concept that it points to"`
	DryRun http.Flag `query:"dry_run" doc:"Delete nothing, and say what would go"`
}

type edgeEditInput struct {
	From string `path:"from" doc:"The id of the concept that the relationship points away from"`
	Type string `path:"type" doc:"A relationship type"`
	To   string `path:"to" doc:"The id of the concept that it points to"`
	Body struct {
		_          struct{} `additionalProperties:"false"`
		Confidence float64  `json:"confidence" doc:"0 to 1"`
	}
}

type batchInput struct {
	Body struct {
		Ontology   string                 `json:"ontology" doc:"Where it is kept; made when it is new"`
		Provenance string                 `json:"provenance,omitempty" doc:"human (the default) or agent"`
		Concepts   []knowledge.NewConcept `json:"concepts,omitempty"`
		Edges      []knowledge.NewEdge    `json:"edges,omitempty"`
	}
}

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "POST", Path: "/concepts", Submits: true, Permission: access.ConceptsWrite, ID: "graph.create-concept", Summary: "Make a concept, or find the one that is the same", Status: 201}, a.createConcept)
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/{id}", Permission: access.ConceptsRead, ID: "graph.written-concept", Summary: "Show a concept as it can be edited"},
		func(ctx context.Context, in *conceptInput) (knowledge.WrittenConcept, error) {
			if err := knowledge.CheckConceptID("path", "id", in.ID); err != nil {
				return knowledge.WrittenConcept{}, err
			}
			return a.cfg.Editor.Concept(ctx, in.ID)
		})
	http.Register(r, http.Route{Method: "PATCH", Path: "/concepts/{id}", Permission: access.ConceptsWrite, ID: "graph.edit-concept", Summary: "Change the label, the description or the other names of a concept"},
		func(ctx context.Context, in *conceptEditInput) (knowledge.WrittenConcept, error) {
			if err := knowledge.CheckConceptID("path", "id", in.ID); err != nil {
				return knowledge.WrittenConcept{}, err
			}
			return a.cfg.Editor.EditConcept(ctx, in.ID, in.Body.ConceptEdit)
		})
	http.RegisterChange(r, http.Route{Method: "DELETE", Path: "/concepts/{id}", Permission: access.ConceptsDelete, ID: "graph.delete-concept", Summary: "Delete a concept with its quotes and relationships", Status: 204},
		func(ctx context.Context, in *conceptDeletion) (knowledge.RemovedConcept, error) {
			if err := knowledge.CheckConceptID("path", "id", in.ID); err != nil {
				return knowledge.RemovedConcept{}, err
			}
			if in.Cascade.On() {
				return knowledge.RemovedConcept{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "cascade", Rule: "must be false: the note that shows the concept is a document of its own; delete it with DELETE /documents/{id}"})
			}
			return a.cfg.Editor.RemoveConcept(ctx, in.ID, in.DryRun.On())
		})
	http.Register(r, http.Route{Method: "POST", Path: "/concepts/{id}/evidence", Submits: true, Permission: access.ConceptsWrite, ID: "graph.add-evidence", Summary: "Add a quote that shows a concept", Status: 201}, a.addEvidence)
	http.Register(r, http.Route{Method: "POST", Path: "/edges", Submits: true, Permission: access.GraphCreate, ID: "graph.create-edge", Summary: "Make a relationship", Status: 201}, a.createEdge)
	http.Register(r, http.Route{Method: "PATCH", Path: "/edges/{from}/{type}/{to}", Permission: access.GraphWrite, ID: "graph.edit-edge", Summary: "Set the confidence of a relationship"}, a.editEdge)
	http.RegisterChange(r, http.Route{Method: "DELETE", Path: "/edges/{from}/{type}/{to}", Permission: access.GraphDelete, ID: "graph.delete-edge", Summary: "Delete a relationship", Status: 204},
		func(ctx context.Context, in *edgeDeletion) (knowledge.RemovedEdge, error) {
			path := edgeInput{From: in.From, Type: in.Type, To: in.To}
			e, err := path.edge()
			if err != nil {
				return knowledge.RemovedEdge{}, err
			}
			return a.cfg.Editor.RemoveEdge(ctx, e, in.DryRun.On())
		})
	http.Register(r, http.Route{Method: "POST", Path: "/graph/batch", Submits: true, Permission: access.GraphCreate, ID: "graph.batch", Summary: "Make concepts and relationships, all of them or none", Status: 201}, a.writeBatch)
	return http.CheckConfig("http/editing", a.cfg)
}

// note returns an empty note of whoever makes the request.
func note(ctx context.Context, ontology, provenance string) knowledge.Note {
	p := http.PrincipalOf(ctx)
	http.Fill(&provenance, knowledge.CreatedByHuman)
	return knowledge.Note{Ontology: ontology, Provenance: provenance, UserID: p.User.ID, Username: p.User.Username}
}

func (a *API) createConcept(ctx context.Context, in *newConceptInput) (knowledge.WrittenConcept, error) {
	provenance := in.Body.Provenance
	if in.Body.Method == methodOfAgents {
		http.Fill(&provenance, knowledge.CreatedByAgent)
	}
	n := note(ctx, in.Body.Ontology, provenance)
	n.Concepts = []knowledge.NewConcept{in.Body.NewConcept}
	written, err := a.cfg.Editor.Write(ctx, n)
	if err != nil {
		return knowledge.WrittenConcept{}, err
	}
	return written.Concepts[0], nil
}

func (a *API) addEvidence(ctx context.Context, in *evidenceInput) (knowledge.WrittenConcept, error) {
	if err := knowledge.CheckConceptID("path", "id", in.ID); err != nil {
		return knowledge.WrittenConcept{}, err
	}
	ontology, err := a.ontologyOf(ctx, in.Body.Ontology, in.ID)
	if err != nil {
		return knowledge.WrittenConcept{}, err
	}
	n := note(ctx, ontology, in.Body.Provenance)
	n.Evidence = []knowledge.NewEvidence{{ConceptID: in.ID, Text: in.Body.Text}}
	if _, err := a.cfg.Editor.Write(ctx, n); err != nil {
		return knowledge.WrittenConcept{}, err
	}
	return a.cfg.Editor.Concept(ctx, in.ID)
}

// ontologyOf returns the ontology that was asked for, or else the first one of a concept.
func (a *API) ontologyOf(ctx context.Context, asked, conceptID string) (string, error) {
	if asked != "" || conceptID == "" || knowledge.CheckConceptID("body", "from_concept_id", conceptID) != nil {
		http.Fill(&asked, defaultOntology)
		return asked, nil //nolint:nilerr // what is no id is refused where it is used
	}
	c, err := a.cfg.Editor.Concept(ctx, conceptID)
	return http.Or(c.Ontology, defaultOntology), err
}

func (a *API) createEdge(ctx context.Context, in *newEdgeInput) (api.CreatedEdge, error) {
	ontology, err := a.ontologyOf(ctx, in.Body.Ontology, in.Body.FromID)
	if err != nil {
		return api.CreatedEdge{}, err
	}
	n := note(ctx, ontology, in.Body.Provenance)
	n.Edges = []knowledge.NewEdge{in.Body.NewEdge}
	written, err := a.cfg.Editor.Write(ctx, n)
	if err != nil {
		return api.CreatedEdge{}, err
	}
	e := written.Edges[0]
	return api.CreatedEdge{EdgeID: e.FromID + "/" + e.Type + "/" + e.ToID, WrittenEdge: e, Created: written.EdgesCreated > 0, DocumentID: written.DocumentID}, nil
}

// edge returns the relationship that the path names.
func (in *edgeInput) edge() (knowledge.WrittenEdge, error) {
	var typeErr error
	if rule := knowledge.CheckTypeName(in.Type); rule != "" {
		typeErr = kappa.Invalid(kappa.FieldError{In: "path", Name: "type", Rule: rule})
	}
	err := kappa.JoinInvalid(knowledge.CheckConceptID("path", "from", in.From), typeErr, knowledge.CheckConceptID("path", "to", in.To))
	return knowledge.WrittenEdge{FromID: in.From, Type: in.Type, ToID: in.To}, err
}

func (a *API) editEdge(ctx context.Context, in *edgeEditInput) (knowledge.WrittenEdge, error) {
	path := edgeInput{From: in.From, Type: in.Type, To: in.To}
	e, err := path.edge()
	if err != nil {
		return e, err
	}
	if c := in.Body.Confidence; c < 0 || c > 1 {
		return e, kappa.Invalid(kappa.FieldError{In: "body", Name: "confidence", Rule: "must be between 0 and 1"})
	}
	e.Confidence = in.Body.Confidence
	return a.cfg.Editor.EditEdge(ctx, e)
}

// writeBatch takes the permission to write concepts besides that of the route.
func (a *API) writeBatch(ctx context.Context, in *batchInput) (knowledge.WrittenNote, error) {
	if err := http.PrincipalOf(ctx).Permit(access.ConceptsWrite); err != nil {
		return knowledge.WrittenNote{}, err
	}
	n := note(ctx, in.Body.Ontology, in.Body.Provenance)
	n.Concepts, n.Edges = in.Body.Concepts, in.Body.Edges
	return a.cfg.Editor.Write(ctx, n)
}
