-- A start writes down how many lanes new businesses are spread over, as LANES says.
grant update (lanes) on installation to manilla_service;
