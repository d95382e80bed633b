// Package agent has tasks that an agent is given, as the calls of tools by which it does them:
// what a new user would ask about a collection of letters, minutes and manuals, and what they would
// have put right. A task is done when the answers say what is asked, which no tool is told.
package agent
