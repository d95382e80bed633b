package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

func newSettingsCommand(a *App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "settings", Short: "Show how the server is set, and where each setting comes from", Args: cobra.NoArgs,
		Long: `Show which settings of kg serve are not at their default, and whether each comes from a flag,
the environment or the settings file. What may be a secret is not shown.`,
		Example: "  kg admin settings\n  kg admin settings --all",
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			settings, err := c.Settings(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the settings of the server: %w", err)
			}
			return a.showAnswer("settings", func() {
				if !all {
					settings = slices.DeleteFunc(settings, func(s api.ServerSetting) bool { return s.Source == "default" })
				}
				g := show.NewGrid(columns("setting", "value", "from", "default")...)
				for _, s := range settings {
					g.Add(s.Name, shownValue(s), s.Source, s.Default)
				}
				a.writeGrid(g, nil)
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "those at their default too")
	return cmd
}

// shownValue is the value in force, as far as it is shown.
func shownValue(s api.ServerSetting) string {
	switch {
	case s.Source == "default":
		return s.Default
	case s.Value == nil:
		return "(set, not shown)"
	}
	return *s.Value
}
