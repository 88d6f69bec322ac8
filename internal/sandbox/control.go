package sandbox

import "net/http"

func (s *Server) controlHandler() http.Handler { return http.NewServeMux() }
