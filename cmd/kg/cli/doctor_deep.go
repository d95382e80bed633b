package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

// checkDeep checks every rule of the graph, and repairs what is safe to repair if it is to.
func (a *App) checkDeep(ctx context.Context, c *client.Client, repair bool) (findings []finding) {
	checks, err := c.GraphAdmin.Checks(ctx)
	if err != nil {
		return []finding{{Check: "graph, deep", Level: levelFail, Found: err.Error()}}
	}
	for _, check := range checks {
		a.note("checking that %s", check.Rule)
		findings = append(findings, checkRule(ctx, c, check, repair))
	}
	return findings
}

// checkRule checks a rule, and after a repair once more.
func checkRule(ctx context.Context, c *client.Client, check knowledge.GraphCheck, repair bool) finding {
	f := finding{Check: check.Name, Level: levelOK, Found: check.Rule}
	fail := func(err error) finding {
		f.Level, f.Found = levelFail, err.Error()
		return f
	}
	found, err := c.GraphAdmin.Check(ctx, check.Name)
	if err != nil {
		return fail(err)
	}
	if found.Broken > 0 && repair && check.Repair != "" {
		done, err := c.GraphAdmin.Repair(ctx, check.Name)
		if err != nil {
			return fail(err)
		}
		if found, err = c.GraphAdmin.Check(ctx, check.Name); err != nil {
			return fail(err)
		}
		f.Found = fmt.Sprintf("%s; repaired: %s", check.Rule, show.Counted(int(done.Repaired), "row"))
	}
	if found.Broken == 0 {
		return f
	}
	f.Level, f.Remedy = levelFail, check.Remedy
	if check.Repair != "" {
		f.Remedy += ": it " + check.Repair
	}
	f.Found = fmt.Sprintf("not so: %s; %s, such as %s", check.Rule, show.Counted(int(found.Broken), "case"), strings.Join(found.Examples, "; "))
	return f
}
