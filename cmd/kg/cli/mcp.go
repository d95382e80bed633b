package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/mcp"
)

// NewMCPCommand returns kg mcp, which agents start.
func NewMCPCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the graph to an agent, over standard input and output",
		Long: `kg mcp serves tools, a resource and prompts to an agent by the Model Context
Protocol, over standard input and output. It acts with the rights of the account
that is logged in here, or of KG_CLIENT_ID and KG_CLIENT_SECRET.

Agents that speak the protocol over HTTP need no program: the server answers at /mcp.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			// An agent shows errors badly, so what is wrong with the account is said here.
			if _, err := c.Ontologies.List(cmd.Context()); err != nil {
				return fmt.Errorf("ask the server, as an agent would: %w", err)
			}
			if err := mcp.Serve(cmd.Context(), c, a.version, a.in, a.out); err != nil && cmd.Context().Err() == nil {
				return fmt.Errorf("serve the agent: %w", err)
			}
			return nil
		}),
	}
}
