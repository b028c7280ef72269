-- Who counts the figures of past hours anew takes the old ones out first.
grant delete on figure to manilla_service;
