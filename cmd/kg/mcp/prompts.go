package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// promptTexts are the tasks that people have an agent do most often. Every {name} is an
// argument, which is required.
var promptTexts = []struct{ name, title, about, text string }{
	{
		"answer", "Answer from the documents", "Answer a question from what the documents say, with their quotes.",
		`Answer this question from the knowledge graph alone: {question}
Begin with ask. Where its passages do not do, search for the concepts in the question, and follow related and connect where the answer lies between two of them. Give each statement its quote, with document and place. Where the documents do not answer, say so.`,
	},
	{
		"changes", "What has changed", "Say what the documents say now that they did not say then.",
		`Say what has changed in the knowledge graph since {since}. Use changes, and for each document with a new version compare. Group what was gained and lost by document, quote the passages that say something else now, and begin with what contradicts what was said before. Name the time to ask from the next time.`,
	},
	{
		"glossary", "Build a glossary", "List the words of an ontology with what the documents say they mean.",
		`Build a glossary of the ontology {ontology}. Use about for its groups, take the strongest concepts of each, and look for each with ask, "What is …?". Write a line a word: the word, its other names, what it means in the words of the documents, with document and place. Leave out a word that the documents do not explain, and list those at the end.`,
	},
	{
		"compare", "Compare two things", "Say how two things are related, by the paths between them.",
		`Say how {first} and {second} are related according to the knowledge graph. Use connect with both, show the concepts on the shortest path, and quote what the documents say of each step. Say which steps are well supported and which are not.`,
	},
	{
		"overview", "Overview of an ontology", "Say what a collection of documents is about.",
		`Say what the ontology {ontology} is about: use about, show the strongest concepts of the largest groups, and write one paragraph a group with a quote each.`,
	},
	{
		"remember", "Keep a text", "Read a text into the graph, and report what came of it.",
		`Ingest the text below into the ontology {ontology}. Tell me what the analysis says it costs, approve it when I agree, follow the job to its end, and then name the most important new concepts.

{text}`,
	},
}

func addPrompts(s *mcp.Server) {
	for _, p := range promptTexts {
		names := arguments(p.text)
		prompt := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.about}
		for _, name := range names {
			prompt.Arguments = append(prompt.Arguments, &mcp.PromptArgument{Name: name, Required: true})
		}
		s.AddPrompt(prompt, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			var filled []string
			for _, name := range names {
				value := strings.TrimSpace(r.Params.Arguments[name])
				if value == "" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the argument " + name + " is required"}
				}
				filled = append(filled, "{"+name+"}", value)
			}
			message := strings.NewReplacer(filled...).Replace(p.text)
			return &mcp.GetPromptResult{Description: p.about, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: message}}}}, nil
		})
	}
}

// arguments returns the names in braces, in order.
func arguments(text string) []string {
	var names []string
	for _, part := range strings.Split(text, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		names = append(names, name)
	}
	return names
}
