alter table rail_line validate constraint rail_line_cause_check;
