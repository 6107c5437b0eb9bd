# Writes the example data of CooRTweet and its results as CSV, for test/coortweet.test.ts:
# NAME.shares.csv, and for each window and participation NAME.WINDOW.PARTICIPATION[.loops].pairs.csv and .edges.csv.
# The parameters are those of its vignettes and tests. Needs the R packages data.table and igraph.
#
#   Rscript coortweet.R SOURCE FOLDER      SOURCE: a copy of the package's repository (version 2.1)

arguments <- commandArgs(trailingOnly = TRUE)
source_folder <- arguments[1]
folder <- arguments[2]
library(data.table)
suppressMessages(library(igraph))
quantile <- stats::quantile
for (file in c("calc_group_combinations", "detect_groups", "generate_coordinated_network", "prep_data")) {
  source(file.path(source_folder, "R", paste0(file, ".R")))
}
load(file.path(source_folder, "data", "german_elections.rda"))
load(file.path(source_folder, "data", "russian_coord_tweets.rda"))

run <- function(shares, name, window, participation, loops = FALSE) {
  x <- as.data.table(shares)[, .(
    object_id = as.character(object_id),
    account_id = as.character(account_id),
    content_id = as.character(content_id),
    timestamp_share = as.numeric(timestamp_share)
  )]
  fwrite(x, file.path(folder, paste0(name, ".shares.csv")))
  pairs <- detect_groups(copy(x), time_window = window, min_participation = participation, remove_loops = !loops)
  graph <- generate_coordinated_network(copy(pairs), edge_weight = 0.5)
  run_name <- paste0(name, ".", window, ".", participation, if (loops) ".loops" else "")
  fwrite(pairs, file.path(folder, paste0(run_name, ".pairs.csv")))
  fwrite(igraph::as_data_frame(graph), file.path(folder, paste0(run_name, ".edges.csv")))
  cat(run_name, nrow(x), "shares", nrow(pairs), "pairs", vcount(graph), "accounts", ecount(graph), "edges\n")
}

elections <- as.data.table(german_elections)
objects <- function(column, prefix) {
  x <- prep_data(copy(elections),
    object_id = column, account_id = "account_id", content_id = "post_id", timestamp_share = "timestamp"
  )
  x <- unique(x, by = c("object_id", "account_id", "content_id", "timestamp_share"))[!is.na(object_id)]
  x[, object_id := paste0(prefix, object_id)]
  x
}

urls <- objects("url_id", "url_")
run(urls[grepl("fb", account_id)], "elections-facebook-urls", 60, 2)
run(urls, "elections-urls", 30, 2)
run(objects("domain_id", "url_"), "elections-domains", 30, 2)
run(objects("hashtag_id", "hashtag_"), "elections-hashtags", 30, 2)
run(objects("phash_id", "hash_"), "elections-images", 30, 2)
run(russian_coord_tweets, "russian", 60, 2)
run(russian_coord_tweets, "russian", 10, 5)
run(russian_coord_tweets, "russian", 10, 5, loops = TRUE)
run(russian_coord_tweets, "russian", 10, 1)
