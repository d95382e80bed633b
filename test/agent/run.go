package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Call is one use of a tool.
type Call struct {
	Tool string
	// Arguments are JSON, in which {name} is what an earlier answer held.
	Arguments string
	// Keep are expressions whose first group later calls use, by name.
	Keep map[string]string
	// Says are expressions that the answer has; one that begins with "!" it must not have.
	Says []string
	// Refused says that the tool must refuse, and Says how.
	Refused bool
}

// Task is what somebody wants of an agent.
type Task struct {
	Wish  string
	Calls []Call
}

// Outcome is what came of a task.
type Outcome struct {
	Wish   string
	Failed string // the first call that did not do, with its answer; "" when the task is done
	Calls  int
	Bytes  int // of all answers: what a model has to read
}

// Run does the tasks one after the other, as an agent with a session would. What one has kept the
// next ones may use. It returns an error only when the server is not reached.
func Run(ctx context.Context, s *mcp.ClientSession, tasks []Task) ([]Outcome, error) {
	kept := map[string]string{}
	var all []Outcome
	for _, task := range tasks {
		done := Outcome{Wish: task.Wish}
		for _, c := range task.Calls {
			text, failed, err := use(ctx, s, c, kept)
			if err != nil {
				return all, err
			}
			done.Calls++
			done.Bytes += len(text)
			if fault := faultOf(c, text, failed, kept); fault != "" {
				done.Failed = fmt.Sprintf("%s %s: %s\n%s", c.Tool, filled(c.Arguments, kept), fault, text)
				break
			}
		}
		all = append(all, done)
	}
	return all, nil
}

func use(ctx context.Context, s *mcp.ClientSession, c Call, kept map[string]string) (text string, failed bool, err error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: json.RawMessage(filled(c.Arguments, kept))})
	if err != nil {
		return "", false, fmt.Errorf("%s %s: %w", c.Tool, c.Arguments, err)
	}
	var b strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String(), result.IsError, nil
}

// filled puts what was kept into arguments.
func filled(arguments string, kept map[string]string) string {
	for name, value := range kept {
		arguments = strings.ReplaceAll(arguments, "{"+name+"}", value)
	}
	return arguments
}

// faultOf says what is wrong with an answer, and keeps what later calls need of it.
func faultOf(c Call, text string, failed bool, kept map[string]string) string {
	if failed != c.Refused {
		return map[bool]string{true: "it was refused", false: "it was not refused"}[failed]
	}
	for _, want := range c.Says {
		if pattern, not := strings.CutPrefix(want, "!"); regexp.MustCompile(pattern).MatchString(text) == not {
			return "it lacks, or has in spite of !: " + want
		}
	}
	for name, pattern := range c.Keep {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if len(found) < 2 {
			return "nothing in it is " + pattern
		}
		kept[name] = found[1]
	}
	return ""
}
