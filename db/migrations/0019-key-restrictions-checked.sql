alter table api_key validate constraint api_key_scopes;
alter table api_key validate constraint api_key_allow;
