package http

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// PermittedOntology returns the row of an ontology when the principal of the request has a
// permission for it, CodeForbidden when it may only read it, and else CodeNotFound. Only for
// who has it not for all ontologies is it read, which tells its id: an unknown name is then
// what read returns, and else what comes after finds.
func PermittedOntology(ctx context.Context, permission access.Permission, name string, read func(ctx context.Context, name string) (ontologies.Node, error)) (access.Row, error) {
	p := PrincipalOf(ctx)
	if p.Reach(permission) == access.ReachAll {
		return access.Row{Ontology: name}, nil
	}
	node, err := read(ctx, name)
	if err != nil {
		return access.Row{}, err
	}
	return node.Row(), p.PermitFound(permission, node.Row(), kappa.NewError(kappa.CodeNotFound, "Ontology '"+name+"' not found"))
}

// Narrow sets the ontology that a question to the graph is asked within to what the principal
// of the request may read; see access.Principal.Within. Its route is ByRow.
func Narrow(ctx context.Context, permission access.Permission, ontology *string) error {
	within, err := PrincipalOf(ctx).Within(permission, *ontology)
	if err == nil {
		*ontology = within
	}
	return err
}

// NarrowSome is Narrow for a question that can be asked within several ontologies; see
// access.Principal.WithinSome.
func NarrowSome(ctx context.Context, permission access.Permission, ontologies *[]string) error {
	within, err := PrincipalOf(ctx).WithinSome(permission, *ontologies)
	if err == nil {
		*ontologies = within
	}
	return err
}
