package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// NewQueriesCommand returns kg queries, which keeps questions to ask them again.
func NewQueriesCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "queries", Aliases: []string{"query-def"}, Short: "Save questions, and run them again by name",
		Long: `Keep questions, and ask them again by their names.

What is kept is the request of a question as the API takes it. A text "$name" in it
stands for a parameter, which each run gives a value or leaves at its default.`,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(newQueriesSaveCommand(a), newQueriesListCommand(a), newQueriesShowCommand(a), newQueriesRunCommand(a), newQueriesEditCommand(a), newQueriesDeleteCommand(a))
	return cmd
}

// queryParts are the flags that say what a query is.
type queryParts struct {
	definition, file, description string
	parameters                    []string
}

func (p *queryParts) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.definition, "definition", "", "the request as JSON")
	cmd.Flags().StringVar(&p.file, "file", "", "the file with the request, - for standard input")
	cmd.Flags().StringArrayVar(&p.parameters, "param", nil, `a parameter, as name:type or name:type=default; types are string, number, integer, boolean and strings`)
	cmd.Flags().StringVar(&p.description, "description", "", "what it is for")
	cmd.MarkFlagsMutuallyExclusive("definition", "file")
}

// read returns the definition, nil without one.
func (p *queryParts) read(a *App) (json.RawMessage, error) {
	if p.file != "" {
		return a.readObject(p.file)
	}
	if p.definition != "" && !json.Valid([]byte(p.definition)) {
		return nil, exit.Usage("--definition must be JSON, got %q", p.definition)
	}
	return json.RawMessage(p.definition), nil
}

// metadata returns the description as clients keep it, nil without one.
func (p *queryParts) metadata() json.RawMessage {
	if p.description == "" {
		return nil
	}
	text, _ := json.Marshal(map[string]string{"description": p.description}) //nolint:errchkjson // texts can always be encoded
	return text
}

// declared reads the parameters.
func (p *queryParts) declared() ([]programs.QueryParameter, error) {
	list := []programs.QueryParameter{}
	for _, text := range p.parameters {
		declaration, value, given := strings.Cut(text, "=")
		name, kind, ok := strings.Cut(declaration, ":")
		if !ok {
			return nil, exit.Usage("--param must be name:type or name:type=default, got %q", text)
		}
		parameter := programs.QueryParameter{Name: name, Type: kind}
		if given {
			parameter.Default = parameterValue(kind, value)
		}
		list = append(list, parameter)
	}
	return list, nil
}

// parameterValue returns what was written as a value of a type. Whether it is one, the server
// says.
func parameterValue(kind, text string) json.RawMessage {
	if kind == programs.ParameterString || !json.Valid([]byte(text)) {
		encoded, _ := json.Marshal(text) //nolint:errchkjson // a text can always be encoded
		if kind != programs.ParameterStrings {
			return encoded
		}
		encoded, _ = json.Marshal(strings.Split(text, ",")) //nolint:errchkjson // likewise
		return encoded
	}
	return json.RawMessage(text)
}

// maxObjectBytes is above what the server takes, so that the server says what it takes.
const maxObjectBytes = 1 << 20

// readObject reads JSON from a file, or from standard input for -.
func (a *App) readObject(path string) (json.RawMessage, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(io.LimitReader(a.in, maxObjectBytes))
	} else {
		text, err = os.ReadFile(path)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case !json.Valid(text):
		return nil, exit.Usage("%s has no JSON", path)
	}
	return text, nil
}

func newQueriesSaveCommand(a *App) *cobra.Command {
	var parts queryParts
	n := programs.NewSavedQuery{}
	cmd := &cobra.Command{
		Use:     "save NAME",
		Short:   "Keep a question",
		Example: `  kg queries save lanes --definition '{"query": "$about", "limit": 5}' --param about:string=lanes`,
		Args:    cobra.ExactArgs(1),
		RunE: a.withChecked(func(_ *cobra.Command, args []string) (err error) {
			if n.Definition, err = parts.read(a); err != nil {
				return err
			}
			if n.Parameters, err = parts.declared(); err != nil {
				return err
			}
			n.Name, n.Metadata = args[0], parts.metadata()
			return misused(n.Validate())
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			q, err := c.Queries.Save(cmd.Context(), n)
			if err != nil {
				return fmt.Errorf("save the query: %w", err)
			}
			return a.showAnswer("", func() { a.note("Saved as query %d: kg queries run %s", q.ID, check.Argument(show.OneLine(q.Name))) })
		}),
	}
	cmd.Flags().StringVar(&n.Type, "type", programs.QuerySearch, "the question: "+strings.Join(programs.SavedQueryTypes(), ", "))
	parts.flags(cmd)
	completeWith(cmd, "type", programs.SavedQueryTypes()...)
	return cmd
}

func newQueriesListCommand(a *App) *cobra.Command {
	f := programs.SavedQueryFilter{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the saved queries, newest first", Example: `  kg queries list --search about`, Args: cobra.NoArgs,
		RunE: a.withChecked(func(*cobra.Command, []string) error { return misused(f.Validate()) }, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Queries.List(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("list saved queries: %w", err)
			}
			return a.showAnswer("definitions", func() { a.writeSavedQueries(found) })
		}),
	}
	cmd.Flags().StringVar(&f.Type, "type", "", "only of this type")
	cmd.Flags().StringVar(&f.Search, "search", "", "only those with this in their name or description")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "how many to list at most, 1 to 500")
	cmd.Flags().StringVar(&f.Cursor, "cursor", "", "next_cursor of the page before")
	completeWith(cmd, "type", programs.SavedQueryTypes()...)
	return cmd
}

func (a *App) writeSavedQueries(found api.SavedQueryList) {
	if len(found.Definitions) == 0 {
		a.note("No queries are saved: kg queries save keeps one.")
		return
	}
	g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "name", Flex: true}, show.Column{Name: "type"}, show.Column{Name: "parameters"}, show.Column{Name: "changed"})
	for _, q := range found.Definitions {
		var names []string
		for _, p := range q.Parameters {
			names = append(names, p.Name)
		}
		g.Add(strconv.Itoa(q.ID), q.Name, q.Type, strings.Join(names, ", "), q.UpdatedAt.String())
	}
	a.writeGrid(g, nil)
	if more := found.Total - found.Offset - len(found.Definitions); more > 0 && found.Next != nil {
		a.note("There are more: --cursor %s shows the next ones.", *found.Next)
	}
}

// savedQuery returns the query of a number or of a name.
func (a *App) savedQuery(cmd *cobra.Command, c *client.Client, named string) (programs.SavedQuery, error) {
	if id, err := strconv.Atoi(named); err == nil && id > 0 {
		return c.Queries.Get(cmd.Context(), id)
	}
	found, err := c.Queries.List(cmd.Context(), programs.SavedQueryFilter{Name: named})
	switch {
	case err != nil:
		return programs.SavedQuery{}, err
	case len(found.Definitions) == 0:
		return programs.SavedQuery{}, kappa.NewError(kappa.CodeNotFound, "there is no saved query called "+show.OneLine(named))
	case len(found.Definitions) > 1:
		var ids []string
		for _, q := range found.Definitions {
			ids = append(ids, strconv.Itoa(q.ID))
		}
		return programs.SavedQuery{}, exit.Usage("%d saved queries are called %s: name one by its number, %s", found.Total, show.OneLine(named), strings.Join(ids, ", "))
	}
	return found.Definitions[0], nil
}

func newQueriesShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME|ID", Short: "Show a saved query", Example: `  kg queries show about`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q, err := a.savedQuery(cmd, c, args[0])
			if err != nil {
				return fmt.Errorf("show the query: %w", err)
			}
			return a.show(q, func() { a.writeSavedQuery(q) })
		}),
	}
}

func (a *App) writeSavedQuery(q programs.SavedQuery) {
	p := a.paint(a.out)
	fmt.Fprintf(a.out, "%s  %s\n", p.Bold(show.OneLine(q.Name)), p.Dim(q.Type+" "+strconv.Itoa(q.ID)))
	for _, parameter := range q.Parameters {
		value := "required"
		if !parameter.Required() {
			value = "default " + show.OneLine(string(parameter.Default))
		}
		fmt.Fprintf(a.out, "$%s: %s, %s\n", parameter.Name, parameter.Type, value)
	}
	a.writeObject(q.Definition)
}

// writeObject shows JSON on several lines.
func (a *App) writeObject(text json.RawMessage) {
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		indented.Write(text)
	}
	fmt.Fprintln(a.out, show.Printable(indented.String()))
}

func newQueriesEditCommand(a *App) *cobra.Command {
	var parts queryParts
	var name string
	cmd := &cobra.Command{
		Use: "edit NAME|ID", Short: "Change a saved query: its name, its request, its parameters", Example: `  kg queries edit about --definition '{"query": "$topic", "limit": 5}'`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			definition, err := parts.read(a)
			if err != nil {
				return err
			}
			change := programs.SavedQueryChange{Metadata: parts.metadata()}
			if len(definition) > 0 {
				change.Definition = definition
			}
			if name != "" {
				change.Name = &name
			}
			if cmd.Flags().Changed("param") {
				declared, err := parts.declared()
				if err != nil {
					return err
				}
				change.Parameters = &declared
			}
			q, err := a.savedQuery(cmd, c, args[0])
			if err == nil {
				q, err = c.Queries.Change(cmd.Context(), q.ID, change)
			}
			if err != nil {
				return fmt.Errorf("change the query: %w", err)
			}
			return a.show(q, func() { a.writeSavedQuery(q) })
		}),
	}
	cmd.Flags().StringVar(&name, "name", "", "another name")
	parts.flags(cmd)
	return cmd
}

func newQueriesDeleteCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME|ID", Short: "Delete a saved query for good", Example: `  kg queries delete about`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			q, err := a.savedQuery(cmd, c, args[0])
			if err == nil {
				err = c.Queries.Delete(cmd.Context(), q.ID)
			}
			if err != nil {
				return fmt.Errorf("delete the query: %w", err)
			}
			a.note("Query %d is deleted.", q.ID)
			return nil
		}),
	}
}
