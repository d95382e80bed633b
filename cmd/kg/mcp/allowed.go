package mcp

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/access"
)

// onlyAllowed leaves out of a list of tools those that the user may not call: each of them
// would take room in the context of a model, which would try it. Where the rights cannot
// be read all are shown, and a call of one says what it lacks.
func (t toolset) onlyAllowed(needs map[string]access.Permission) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			list, ok := result.(*mcp.ListToolsResult)
			if err != nil || !ok {
				return result, err
			}
			held, err := t.c.Account.Permissions(ctx)
			if err != nil {
				return result, nil //nolint:nilerr // see above
			}
			shown := *list
			shown.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(tool *mcp.Tool) bool {
				return !slices.ContainsFunc(held, func(h access.PermissionHeld) bool {
					return access.Permission(h.Resource+":"+h.Action) == needs[tool.Name]
				})
			})
			return &shown, nil
		}
	}
}
