package access

import (
	"context"
	"net"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// users keeps the accounts, and says what a principal may do with them. Unknown ids are
// CodeNotFound, what the principal may not is CodeForbidden.
type users interface {
	Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error)
	User(ctx context.Context, p access.Principal, id int) (access.User, error)
	CreateUser(ctx context.Context, p access.Principal, n access.NewUser) (access.User, error)
	Register(ctx context.Context, address string, n access.NewUser) (access.User, error)
	UpdateSelf(ctx context.Context, p access.Principal, u access.UserUpdate) (access.User, error)
	UpdateUser(ctx context.Context, p access.Principal, id int, u access.UserUpdate) (access.User, error)
	DeleteUser(ctx context.Context, p access.Principal, id int) error
}

type userListInput struct {
	Skip  int    `query:"skip" doc:"0 or more"`
	Limit int    `query:"limit" default:"50" doc:"1 to 500"`
	Role  string `query:"role" doc:"Only accounts with this role"`
	Name  string `query:"username" doc:"Only the account with this name"`
}

type userInput struct {
	ID int `path:"id" doc:"The number of an account"`
}

type newUserInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewUser
	}
}

type userUpdateInput struct {
	ID   int `path:"id" doc:"The number of an account"`
	Body *struct {
		_        struct{} `additionalProperties:"false"`
		Password *string  `json:"password,omitempty" doc:"At least 8 characters, for administrators 10; ends all that acts for the user"`
		Role     *string  `json:"role,omitempty"`
		Disabled *bool    `json:"disabled,omitempty"`

		CurrentPassword *string `json:"current_password,omitempty" doc:"With a new password of one's own, unless one has logged in within the last five minutes"`
	}
}

type selfInput struct {
	Body *struct {
		_        struct{} `additionalProperties:"false"`
		Username *string  `json:"username,omitempty" doc:"3 to 100 characters"`
		Password *string  `json:"password,omitempty" doc:"At least 8 characters, for administrators 10; ends all else that acts for the user"`

		CurrentPassword *string `json:"current_password,omitempty" doc:"With a new password, unless one has logged in within the last five minutes"`
	}
}

type passwordInput struct {
	ID   int `path:"id" doc:"The number of an account"`
	Body struct {
		_           struct{} `additionalProperties:"false"`
		NewPassword string   `json:"new_password" doc:"At least 8 characters, for administrators 10"`
	}
}

type registration struct {
	_        struct{} `additionalProperties:"false"`
	Username string   `json:"username" doc:"3 to 100 characters"`
	Password string   `json:"password" doc:"At least 8 characters"`
}

type done struct {
	Success bool   `json:"success" doc:"Always true"`
	Message string `json:"message"`
}

func (a *API) registerUsers(r *http.Router) {
	http.Register(r, http.Route{Method: "PUT", Path: "/auth/me", Permission: access.AnyUser, ID: "auth.update-me", Summary: "Change one's own name or password"}, a.updateSelf)
	http.Register(r, http.Route{Method: "POST", Path: "/auth/register", Permission: access.Public, ID: "auth.register", Summary: "Make oneself an account, where that is allowed", Status: 201}, a.registerSelf)
	http.Register(r, http.Route{Method: "GET", Path: "/users", Permission: access.UsersRead, ID: "users.list", Summary: "List the accounts"}, a.listUsers)
	http.Register(r, http.Route{Method: "POST", Path: "/users", Permission: access.UsersCreate, ID: "users.create", Summary: "Make an account", Status: 201}, a.createUser)
	http.Register(r, http.Route{Method: "GET", Path: "/users/{id}", Permission: access.AnyUser, ID: "users.show", Summary: "Show an account: one's own, or with users:read any"},
		func(ctx context.Context, in *userInput) (access.User, error) {
			return a.cfg.Users.User(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/users/{id}", Permission: access.AnyUser, ID: "users.update", Summary: "Change an account: one's own password, or with users:write any"}, a.updateUser)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/users/{id}", Permission: access.UsersDelete, ID: "users.delete", Summary: "Delete an account; its jobs stay"},
		func(ctx context.Context, in *userInput) error {
			return a.cfg.Users.DeleteUser(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/users/{id}/reset-password", Permission: access.UsersWrite, ID: "users.reset-password", Summary: "Give another account a new password; all that acts for it ends"}, a.resetPassword)
}

func (a *API) listUsers(ctx context.Context, in *userListInput) (api.UserList, error) {
	list, total, err := a.cfg.Users.Users(ctx, access.UserFilter{Role: in.Role, Username: in.Name, Skip: in.Skip, Limit: in.Limit})
	return api.UserList{Users: list, Total: total, Skip: in.Skip, Limit: in.Limit}, err
}

func (a *API) createUser(ctx context.Context, in *newUserInput) (access.User, error) {
	user, err := a.cfg.Users.CreateUser(ctx, http.PrincipalOf(ctx), in.Body.NewUser)
	return user, asMalformed(err, kappa.CodeInvalid)
}

// asMalformed returns an error of one of some codes as 400: a client that is in use shows
// the reason of that, and of other refusals of its own only their number.
func asMalformed(err error, codes ...kappa.Code) error {
	if slices.Contains(codes, kappa.ErrorCode(err)) {
		return kappa.NewError(kappa.CodeMalformed, kappa.ErrorMessage(err))
	}
	return err
}

func (a *API) updateSelf(ctx context.Context, in *selfInput) (access.User, error) {
	var u access.UserUpdate
	if in.Body != nil {
		u = access.UserUpdate{Username: in.Body.Username, Password: in.Body.Password, CurrentPassword: in.Body.CurrentPassword}
	}
	return a.cfg.Users.UpdateSelf(ctx, http.PrincipalOf(ctx), u)
}

func (a *API) updateUser(ctx context.Context, in *userUpdateInput) (access.User, error) {
	var u access.UserUpdate
	if in.Body != nil {
		u = access.UserUpdate{Password: in.Body.Password, Role: in.Body.Role, Disabled: in.Body.Disabled, CurrentPassword: in.Body.CurrentPassword}
	}
	user, err := a.cfg.Users.UpdateUser(ctx, http.PrincipalOf(ctx), in.ID, u)
	return user, asMalformed(err, kappa.CodeInvalid, kappa.CodeConflict)
}

func (a *API) resetPassword(ctx context.Context, in *passwordInput) (done, error) {
	p := http.PrincipalOf(ctx)
	if in.ID == p.User.ID {
		return done{}, kappa.NewError(kappa.CodeMalformed, "Change your own password with PUT /auth/me")
	}
	_, err := a.cfg.Users.UpdateUser(ctx, p, in.ID, access.UserUpdate{Password: &in.Body.NewPassword})
	return done{Success: true, Message: "Password changed. All that acted for the account has ended."}, err
}

type registerInput struct {
	address string
	Body    registration
}

// Resolve notes where the request came from.
func (i *registerInput) Resolve(ctx huma.Context) []error {
	i.address = ctx.RemoteAddr()
	// Attempts are counted by address, and each connection has a port of its own.
	if host, _, err := net.SplitHostPort(i.address); err == nil {
		i.address = host
	}
	return nil
}

func (a *API) registerSelf(ctx context.Context, in *registerInput) (access.User, error) {
	return a.cfg.Users.Register(ctx, in.address, access.NewUser{Username: in.Body.Username, Password: in.Body.Password})
}
