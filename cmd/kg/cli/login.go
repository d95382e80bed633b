package cli

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// maxPassword bounds what is read as a password.
const maxPassword = 4096

// NewLoginCommand returns kg login, which keeps the credentials for the other commands.
func NewLoginCommand(a *App) *cobra.Command {
	var username, password string
	var fromStdin bool
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in, and keep the credentials for the other commands",
		Long: `Log in with a user name and a password. What is kept is not the password but
the credentials of a client that acts for you, in a file that only you can read
($XDG_CONFIG_HOME/kg/config.json). kg logout deletes that client.

The first start of a server shows the password of the account admin, unless
KG_ADMIN_PASSWORD set it.`,
		Example: `  kg login -u admin
  kg login -u admin --password-stdin < password.txt
  kg login -u admin --api-url https://kappa.example.org
  kg login -u admin --api-url https://10.0.0.7:8443 --ca-file authority.pem`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if fromStdin && cmd.Flags().Changed("password") {
				return exit.Usage("--password and --password-stdin exclude each other")
			}
			if !cmd.Flags().Changed("password") {
				var err error
				if password, err = a.readPassword(username, fromStdin); err != nil {
					return err
				}
			}
			return a.login(cmd, username, password)
		},
	}
	cmd.Flags().StringVarP(&username, "username", "u", access.AdminUsername, "name of the account")
	cmd.Flags().StringVarP(&password, "password", "p", "", "its password; other users of this machine can see it, so rather leave it out and type it")
	cmd.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	return cmd
}

// login finds the server, makes a client there and keeps its credentials.
func (a *App) login(cmd *cobra.Command, username, password string) error {
	file, err := a.readConfig()
	if err != nil {
		return err
	}
	to, err := a.address(file)
	if err != nil {
		return err
	}
	carrier, err := a.httpClient(to)
	if err != nil {
		return err
	}
	settings := client.Config{UserAgent: a.UserAgent(), HTTPClient: carrier}
	if settings.BaseURL, err = client.Probe(cmd.Context(), settings, to.url); err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	if sentInTheClear(settings.BaseURL) {
		a.note("warning: %s is not encrypted: others on the way can read the password", settings.BaseURL)
	}
	c, err := client.New(settings)
	if err != nil {
		return err
	}
	defer c.Close()
	made, err := c.Login(cmd.Context(), username, password, "kg CLI ("+username+")")
	if err != nil {
		return loginError(settings.BaseURL, err)
	}
	file.ClientID, file.ClientSecret, file.Username = made.ClientID, made.Secret, username
	if to.chosen || settings.BaseURL != to.url {
		file.APIURL, file.CAFile = settings.BaseURL, ""
		if to.caFile != "" {
			if file.CAFile, err = filepath.Abs(to.caFile); err != nil {
				return fmt.Errorf("keep --ca-file: %w", err)
			}
		}
	}
	if err := a.writeConfig(file); err != nil {
		return err
	}
	a.note("Logged in at %s as %s.", settings.BaseURL, show.Printable(username))
	return nil
}

// loginError says what to do about a login that the server refused.
func loginError(address string, err error) error {
	err = fmt.Errorf("log in at %s: %w", address, err)
	if kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
		return err
	}
	return &exit.Error{Code: exit.NotAllowed, Err: err, Hint: "the first start of the server showed the password of admin, unless KG_ADMIN_PASSWORD set it"}
}

// readPassword reads the password from standard input: without an echo from a
// terminal, the first line otherwise.
func (a *App) readPassword(username string, fromStdin bool) (string, error) {
	if f, ok := a.in.(*os.File); ok && !fromStdin {
		if !term.IsTerminal(int(f.Fd())) {
			return "", exit.Usage("there is no terminal to ask for the password: use --password-stdin")
		}
		fmt.Fprintf(a.err, "Password of %s: ", show.Printable(username))
		password, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.err)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return string(password), nil
	}
	line, err := readLine(io.LimitReader(a.in, maxPassword))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", exit.Usage("the password on standard input is empty")
	}
	return password, nil
}

// readLine reads to the end of a line and nothing behind it, which another one may read.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		n, err := r.Read(one)
		if n > 0 {
			line = append(line, one[0])
		}
		if err != nil || n > 0 && one[0] == '\n' {
			return string(line), err
		}
	}
}

// sentInTheClear reports whether a password to that address can be read on its
// way: it leaves the machine, and without TLS.
func sentInTheClear(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	return host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.")
}

// NewLogoutCommand returns kg logout, which deletes them here and on the server.
func NewLogoutCommand(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Delete the credentials that kg login made, here and on the server",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := a.readConfig()
			if err != nil {
				return err
			}
			if file.ClientID == "" {
				a.note("Not logged in.")
				return nil
			}
			if err := a.deleteClient(cmd, file); err != nil {
				a.note("warning: the server still knows the client %s: %s", show.Printable(file.ClientID), show.Printable(err.Error()))
			}
			if err := a.writeConfig(config{Ontology: file.Ontology}); err != nil {
				return err
			}
			a.note("Logged out.")
			return nil
		},
	}
}

// deleteClient deletes the configuration's client on the server that it is for.
func (a *App) deleteClient(cmd *cobra.Command, file config) error {
	to := connection{url: file.APIURL, caFile: file.CAFile, chosen: true}
	if file.APIURL == "" {
		server, err := a.localServer()
		if err != nil {
			return err
		}
		to = connection{url: server.URL}
	}
	to.clientID, to.clientSecret = file.ClientID, file.ClientSecret
	c, err := a.clientFor(to)
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Account.DeleteOAuthClient(cmd.Context(), file.ClientID)
	switch kappa.ErrorCode(err) {
	case kappa.CodeNotFound, kappa.CodeUnauthenticated:
		return nil // it is gone already
	}
	return err
}
