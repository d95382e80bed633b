package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// NewProgramsCommand returns kg programs, which runs sequences of questions.
func NewProgramsCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "programs", Aliases: []string{"program", "prog"}, Short: "Run sequences of questions whose answers are joined",
		Long: `Run sequences of questions whose answers are joined to one graph.

A program is a file with JSON: a version and statements, each with an operator
(+ adds, - takes away, & keeps, ? adds what there is, ! wants something) and a question.`,
		RunE: onlySubcommands,
	}
	cmd.AddCommand(newProgramsValidateCommand(a), newProgramsCreateCommand(a), newProgramsShowCommand(a), newProgramsExecuteCommand(a), newProgramsListCommand(a), newProgramsChainCommand(a), newProgramsDeleteCommand(a))
	return cmd
}

// onProgram returns a command that does something with the program in a file.
func (a *App) onProgram(use, short string, do func(ctx context.Context, c *client.Client, program json.RawMessage) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " FILE", Short: short, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			program, err := a.readObject(args[0])
			if err != nil {
				return err
			}
			return do(cmd.Context(), c, program)
		}),
	}
}

func newProgramsValidateCommand(a *App) *cobra.Command {
	return a.onProgram("validate", "Say what is wrong with a program, - for standard input", func(ctx context.Context, c *client.Client, program json.RawMessage) error {
		report, err := c.Programs.Validate(ctx, program)
		if err != nil {
			return fmt.Errorf("validate the program: %w", err)
		}
		if err := a.showAnswer("", func() { a.writeReport(report) }); err != nil {
			return err
		}
		if !report.Valid {
			return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("the program cannot be run: %d faults", len(report.Errors))}
		}
		return nil
	})
}

func (a *App) writeReport(report programs.Report) {
	for _, issue := range append(report.Errors, report.Warnings...) {
		at := "program"
		if issue.Statement != nil {
			at = "statement " + strconv.Itoa(*issue.Statement)
		}
		if issue.Field != nil {
			at += ", " + show.OneLine(strings.TrimPrefix(*issue.Field, fmt.Sprintf("statements[%s].", strings.TrimPrefix(at, "statement "))))
		}
		fmt.Fprintf(a.out, "%-7s  %s  %s: %s\n", issue.Severity, issue.Rule, at, show.OneLine(issue.Message))
	}
	if report.Valid {
		fmt.Fprintln(a.out, "The program can be run.")
	}
}

func newProgramsCreateCommand(a *App) *cobra.Command {
	var name string
	cmd := a.onProgram("create", "Check a program and keep it", func(ctx context.Context, c *client.Client, program json.RawMessage) error {
		kept, err := c.Programs.Create(ctx, program, name)
		if err != nil {
			return fmt.Errorf("create the program: %w", err)
		}
		return a.showAnswer("", func() {
			a.note("Kept as program %d, %s: kg programs execute %d", kept.ID, show.OneLine(kept.Name), kept.ID)
		})
	})
	cmd.Flags().StringVar(&name, "name", "", "its name; default: that of its metadata")
	return cmd
}

func newProgramsShowCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a program that is kept", Example: `  kg programs show 3`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of a program", "")
			if err != nil {
				return err
			}
			kept, err := c.Programs.Get(cmd.Context(), id)
			if err != nil {
				return fmt.Errorf("show the program: %w", err)
			}
			return a.showAnswer("", func() {
				p := a.paint(a.out)
				fmt.Fprintf(a.out, "%s  %s\n", p.Bold(show.OneLine(kept.Name)), p.Dim("program "+strconv.Itoa(kept.ID)))
				a.writeObject(kept.Program)
			})
		}),
	}
}

func newProgramsDeleteCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: "Delete a program for good", Example: `  kg programs delete 3`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			id, err := numberOf(args[0], "the id of a program", "")
			if err != nil {
				return err
			}
			if err := c.Programs.Delete(cmd.Context(), id); err != nil {
				return fmt.Errorf("delete the program: %w", err)
			}
			a.note("Program %d is deleted.", id)
			return nil
		}),
	}
}

func newProgramsListCommand(a *App) *cobra.Command {
	var search string
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List the programs that are kept, newest first", Example: `  kg programs list --search topic --limit 5`, Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			found, err := c.Programs.List(cmd.Context(), search, limit)
			if err != nil {
				return fmt.Errorf("list programs: %w", err)
			}
			return a.showAnswer("", func() { a.writePrograms(found) })
		}),
	}
	cmd.Flags().StringVar(&search, "search", "", "only those with this in their name or description")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many to list at most, 1 to 500")
	return cmd
}

func (a *App) writePrograms(found []programs.Entry) {
	if len(found) == 0 {
		a.note("No programs are kept: kg programs create keeps one.")
		return
	}
	g := show.NewGrid(show.Column{Name: "id", Right: true}, show.Column{Name: "name"}, show.Column{Name: "statements", Right: true}, show.Column{Name: "description", Flex: true})
	for _, p := range found {
		g.Add(strconv.Itoa(p.ID), p.Name, strconv.Itoa(p.Statements), orEmpty(p.Description))
	}
	a.writeGrid(g, nil)
}

// choice returns the program of a number, or in a file.
func (a *App) choice(ctx context.Context, c *client.Client, named string, values []string) (p api.ProgramChoice, err error) {
	id, notID := strconv.Atoi(named)
	var program json.RawMessage
	switch {
	case notID != nil:
		if program, err = a.readObject(named); err != nil {
			return p, err
		}
		p.Program = program
	default:
		p.ID = &id
		if len(values) == 0 {
			return p, nil
		}
		kept, err := c.Programs.Get(ctx, id)
		if err != nil {
			return p, fmt.Errorf("read the program: %w", err)
		}
		program = kept.Program
	}
	read, _ := programs.Read(program) // what is wrong the server says
	p.Params, err = boundValues(read.Parameters, values)
	return p, err
}

func newProgramsExecuteCommand(a *App) *cobra.Command {
	var values []string
	cmd := &cobra.Command{
		Use: "execute ID|FILE", Aliases: []string{"run"}, Short: "Run a program", Example: `  kg programs execute topic.json --param q=glacier`, Args: cobra.ExactArgs(1),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			p, err := a.choice(cmd.Context(), c, args[0], values)
			if err != nil {
				return err
			}
			result, err := c.Programs.Execute(cmd.Context(), p)
			if err != nil {
				return fmt.Errorf("run the program: %w", err)
			}
			if err := a.showAnswer("", func() { a.writeProgramResult(result) }); err != nil {
				return err
			}
			return endedEarly(result.Aborted)
		}),
	}
	cmd.Flags().StringArrayVar(&values, "param", nil, "the value of a parameter, as name=value")
	return cmd
}

func newProgramsChainCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use: "chain ID|FILE...", Short: "Run programs, each with the graph of the one before", Example: `  kg programs chain 3 topic.json`, Args: cobra.RangeArgs(1, programs.MaxDeck),
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, args []string) error {
			deck := make([]api.ProgramChoice, len(args))
			for i, named := range args {
				p, err := a.choice(cmd.Context(), c, named, nil)
				if err != nil {
					return err
				}
				deck[i] = p
			}
			chain, err := c.Programs.Chain(cmd.Context(), deck)
			if err != nil {
				return fmt.Errorf("run the programs: %w", err)
			}
			err = a.showAnswer("", func() {
				for i, p := range chain.Programs {
					fmt.Fprintf(a.out, "program %d: %d concepts, %d relationships\n", i, len(p.Result.Nodes), len(p.Result.Links))
				}
				a.writeProgramGraph(chain.Result)
			})
			if err != nil {
				return err
			}
			return endedEarly(chain.Aborted)
		}),
	}
}

// endedEarly returns the error of a program that did not come to its end.
func endedEarly(aborted *programs.Abort) error {
	if aborted == nil {
		return nil
	}
	where := "statement " + strconv.Itoa(aborted.Statement)
	if aborted.Program != nil {
		where += " of program " + strconv.Itoa(*aborted.Program)
	}
	return &exit.Error{Code: exit.Failed, Err: fmt.Errorf("ended early at %s: %s", where, show.OneLine(aborted.Reason))}
}

// writeProgramResult shows what each statement has done, and the graph.
func (a *App) writeProgramResult(result programs.Result) {
	g := show.NewGrid(show.Column{Name: "statement", Right: true}, show.Column{Name: "op"}, show.Column{Name: "operation"}, show.Column{Name: "concepts", Right: true}, show.Column{Name: "relationships", Right: true}, show.Column{Name: "label", Flex: true})
	for _, s := range result.Log {
		kind := s.Type
		if s.Branch != nil {
			kind += " " + *s.Branch
		}
		g.Add(strconv.Itoa(s.Statement), s.Op, kind, strconv.Itoa(s.Size.Nodes), strconv.Itoa(s.Size.Links), orEmpty(s.Label))
	}
	if len(result.Log) > 0 {
		a.writeGrid(g, nil)
	}
	a.writeProgramGraph(result.Result)
}

func (a *App) writeProgramGraph(graph programs.Graph) {
	fmt.Fprintf(a.out, "%d concepts, %d relationships\n", len(graph.Nodes), len(graph.Links))
	labels := map[string]string{}
	for _, n := range graph.Nodes {
		labels[n.ConceptID] = n.Label
		fmt.Fprintln(a.out, "  "+strings.TrimSpace(show.OneLine(n.Label)+"  "+a.paint(a.out).Dim(n.ConceptID+" "+orEmpty(n.Ontology))))
	}
	for _, l := range graph.Links {
		fmt.Fprintf(a.out, "  %s %s %s\n", show.OneLine(labels[l.FromID]), l.Type, show.OneLine(labels[l.ToID]))
	}
}
