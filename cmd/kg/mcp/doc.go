// Package mcp serves the tools, the resource and the prompts that agents use, by the
// Model Context Protocol: over standard input and output for `kg mcp`, and over HTTP
// at /mcp. Every tool is a call of the API with the rights of whoever uses it, so
// rights are checked where all requests are. Answers are text that a model can read:
// short, with the ids that further calls take, and with a word about what was cut.
package mcp
