-- Of a key the service notes when it was used, when it ends and that it is revoked. Whose it is, what it is and what it
-- may do are fixed when it is made.
revoke update on api_key from manilla_service;
grant update (last_used_at, expires_at, revoked_at) on api_key to manilla_service;
